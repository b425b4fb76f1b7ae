/**
 * The types of running subagents, by their thread: the input of an `mcp_tool` hook can name a subagent's type at its start only.
 *
 * After a restart of the server the type of a running subagent is not known; it is a subagent all the same.
 */
import { textIn, type Json } from '../../harness/json.ts'

/** Subagents that run at the same time, over all sessions, with much room to spare. */
const MOST = 1_000

export class AgentTypes {
  readonly #types = new Map<string, string>()

  /** Gives the event with the type of its subagent, if that is known; remembers the type that it tells itself. */
  complete(event: Json): Json {
    const thread = textIn(event['agent_id']) ?? textIn(event['thread_id'])
    if (thread === null) return event
    const told = textIn(event['agent_type'])
    if (told !== null) {
      this.#remember(thread, told)
      return event
    }
    const known = this.#types.get(thread)
    return known === undefined ? event : { ...event, agent_type: known }
  }

  #remember(thread: string, type: string): void {
    this.#types.delete(thread)
    this.#types.set(thread, type)
    const oldest = this.#types.keys().next().value
    if (this.#types.size > MOST && oldest !== undefined) this.#types.delete(oldest)
  }
}
