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

/** Names of the variables that every child process inherits. Other variables of the app are not passed on. */
export const INHERITED_VARIABLES: readonly string[] = platform() === 'win32' ? WINDOWS : POSIX

/** Returns the environment of a child process: inherited variables that are set, overridden by `own`. */
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

/** Upper-cases names on Windows, where variable names are case-insensitive. */
function canonicalName(name: string): string {
  return platform() === 'win32' ? name.toUpperCase() : name
}

/** Detects functions that Bash exports as variables. They are not passed on. */
function isShellFunction(value: string): boolean {
  return value.startsWith('()')
}
