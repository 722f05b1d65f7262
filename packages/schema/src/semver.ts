const NUMBER = '(?:0|[1-9]\\d*)'
const LABEL = `(?:${NUMBER}|\\d*[A-Za-z-][\\dA-Za-z-]*)`
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${LABEL}(?:\\.${LABEL})*)?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
  'u',
)
const LONGEST = 100

/** Returns true for a version as defined by semver.org: `1.4.0`, `2.0.0-beta.1`. */
export function isSemver(text: string): boolean {
  return text.length <= LONGEST && SEMVER.test(text)
}
