/** One numbered step of the database's form. Never edited after a release; running it twice does no harm. */
export interface Migration {
  readonly number: number
  /** Columns that older tables gain, each added only where it is missing: SQLite has no "add if not there" for them. */
  readonly columns?: readonly { readonly table: string; readonly name: string; readonly definition: string }[]
  /** Runs after the columns are there. */
  readonly sql: string
}
