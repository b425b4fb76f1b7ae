/** What setup says on a platform on which ContextMD does not run, or was never tried. The table is in docs/platforms.md. */

/** Null where it is supported. */
export function platformNote(platform: NodeJS.Platform): string | null {
  switch (platform) {
    case 'linux':
    case 'darwin':
      return null
    case 'win32':
      return 'Windows is supported in WSL only: hooks are scripts of a Unix shell, and the rights of files keep the tokens private.'
    default:
      return `ContextMD was not tried on ${platform}: hooks need sh and curl, and files that only their owner can read.`
  }
}
