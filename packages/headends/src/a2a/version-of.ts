/** Before 1.0 clients named no version. */
const LEGACY = '0.3'

/** The version of A2A that a request is written in. */
export function versionOf(request: Request): string {
  const named = request.headers.get('a2a-version')?.trim() ?? ''
  return named === '' ? LEGACY : named
}

/** True for the version before 1.0. */
export function isLegacy(version: string): boolean {
  return version === LEGACY
}
