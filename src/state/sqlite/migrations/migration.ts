/** One numbered step of the database's form. Never edited after a release; running it twice does no harm. */
export interface Migration {
  readonly number: number
  readonly sql: string
}
