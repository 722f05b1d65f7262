/** Version of clients that name none, as clients before 1.0 do. */
const LEGACY = '0.3'

/** Returns the A2A version of a request. */
export function versionOf(request: Request): string {
  const named = request.headers.get('a2a-version')?.trim() ?? ''
  return named === '' ? LEGACY : named
}

/** Returns true for the version before 1.0. */
export function isLegacy(version: string): boolean {
  return version === LEGACY
}
