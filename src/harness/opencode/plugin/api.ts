/**
 * The part of OpenCode's plugin interface that is used here, as it was measured on 1.18.33. Nothing is taken for granted: a field that
 * another version leaves out is undefined, and whatever throws is caught by the caller.
 */

export interface TextPart {
  readonly id: string
  readonly sessionID: string
  readonly messageID: string
  readonly type: 'text'
  readonly text: string
  readonly synthetic: boolean
  readonly metadata: object
}

export interface Part {
  readonly id?: string
  readonly messageID?: string
  readonly sessionID?: string
  readonly type?: string
  readonly text?: string
  readonly synthetic?: boolean
  readonly url?: string
  readonly metadata?: { readonly contextmd?: unknown }
  readonly tool?: string
  readonly callID?: string
  readonly state?: {
    readonly status?: string
    readonly input?: unknown
    readonly output?: string
    readonly error?: string
    readonly metadata?: unknown
  }
}

export interface Message {
  readonly info: { readonly id?: string; readonly role?: string; readonly sessionID?: string; readonly summary?: unknown }
  readonly parts: readonly Part[]
}

export interface SessionInfo {
  readonly id?: string
  readonly parentID?: string
  readonly agent?: string
  readonly version?: string
}

export interface BusEvent {
  readonly id?: string
  readonly type: string
  readonly properties?: {
    readonly sessionID?: string
    readonly info?: SessionInfo & { readonly role?: string; readonly summary?: unknown }
    readonly part?: Part
  }
}

interface Answer<T> {
  readonly data?: T
}

/** The client that OpenCode gives to each plugin: it calls the very process that it runs in. */
export interface Client {
  readonly session: {
    get(of: { readonly path: { readonly id: string } }): Promise<Answer<SessionInfo>>
    messages(of: {
      readonly path: { readonly id: string }
      readonly query?: { readonly limit?: number }
    }): Promise<Answer<readonly Message[]>>
    prompt(of: { readonly path: { readonly id: string }; readonly body: object }): Promise<unknown>
  }
  readonly tui?: { showToast(of: { readonly body: object }): Promise<unknown> }
}

export interface PluginInput {
  readonly client: Client
  readonly directory: string
}

/** What a tool gave: a text from built-in tools, a list of content from MCP tools. Changed in place. */
export interface ToolOutput {
  output?: string
  content?: { type: string; text?: string }[]
  metadata?: { readonly exit?: unknown; readonly loaded?: unknown }
}

export interface Config {
  mcp?: Readonly<Record<string, unknown>>
  permission?: unknown
}

export interface Hooks {
  config(config: Config): Promise<void>
  event(of: { readonly event: BusEvent }): Promise<void>
  'chat.message'(
    input: { readonly sessionID: string },
    output: { readonly message: { readonly id: string; readonly agent?: string }; readonly parts: Part[] },
  ): Promise<void>
  'tool.definition'(input: { readonly toolID: string }): Promise<void>
  'tool.execute.before'(
    input: { readonly tool: string; readonly sessionID: string; readonly callID: string },
    output: { readonly args: unknown },
  ): Promise<void>
  'tool.execute.after'(
    input: { readonly tool: string; readonly sessionID: string; readonly callID: string; readonly args: unknown },
    output: ToolOutput,
  ): Promise<void>
  'experimental.chat.messages.transform'(input: object, output: { readonly messages: readonly Message[] }): Promise<void>
  'experimental.chat.system.transform'(
    input: { readonly sessionID?: string },
    output: { readonly system: readonly string[] },
  ): Promise<void>
  'experimental.session.compacting'(input: { readonly sessionID: string }): Promise<void>
  'experimental.compaction.autocontinue'(input: {
    readonly sessionID: string
    readonly agent?: string
    readonly message?: { readonly model?: { readonly providerID?: string; readonly modelID?: string } }
  }): Promise<void>
}
