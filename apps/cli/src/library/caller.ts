/**
 * Returns what the library takes from the process unless its caller passes something else. Nothing else in the
 * library reads the environment.
 */
export function callerDefaults(): {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
} {
  return { env: { ...process.env }, cwd: process.cwd() }
}
