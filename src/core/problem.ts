/** Something that is wrong and that a person can mend. Shown by lint, health, doctor and the dashboard. */
export interface Problem {
  /** Stable, for programs: `entry_unknown_key`, `state_locked`, … */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  /** What is wrong and what follows from it, in one sentence. */
  readonly message: string
  /** What to do about it. */
  readonly cure: string
  readonly file?: string
  readonly line?: number
  readonly key?: string
}
