/** Why a setup or a removal could not be done. Nothing was written to the settings when it is thrown. */
export class InstallError extends Error {
  override readonly name = 'InstallError'
  /**
   * `not_json`, `not_text`, `not_an_object`, `key_twice`: the settings as they are can't be edited safely. `unreadable`,
   * `unwritable`: the file system refused. `foreign`: what stands there under our name is somebody else's. `changed`: someone else wrote the settings in between. `tracked`: a token would be committed.
   */
  readonly code: 'not_json' | 'not_text' | 'not_an_object' | 'key_twice' | 'unreadable' | 'unwritable' | 'changed' | 'tracked' | 'foreign'
  /** Line in the settings file, where there is one. */
  readonly line: number | null
  constructor(code: InstallError['code'], message: string, line: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.line = line
  }
}
