import { platform } from 'node:os'

const POSIX = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'] as const

const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
] as const

/** The variables of the app's environment that a child process gets beside those meant for it (R17); all others stay with the app. */
export const INHERITED_VARIABLES: readonly string[] = platform() === 'win32' ? WINDOWS : POSIX

/** The exact environment of a child process: the inherited variables that are set, then its own. */
export function childEnvironment(
  baseEnv: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const allowed = new Set(INHERITED_VARIABLES)
  const inherited = Object.entries(baseEnv).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && allowed.has(canonicalName(entry[0])) && !isShellFunction(entry[1]),
  )
  return Object.fromEntries([...inherited, ...Object.entries(own)])
}

/** Windows does not tell `Path` from `PATH`. */
function canonicalName(name: string): string {
  return platform() === 'win32' ? name.toUpperCase() : name
}

/** Bash hands functions down as variables; nobody means to pass one on. */
function isShellFunction(value: string): boolean {
  return value.startsWith('()')
}
