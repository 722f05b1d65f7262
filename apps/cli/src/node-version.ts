/** The oldest Node that the program runs on; `engines` of the package says the same. */
export const OLDEST_NODE = '22.18'

/** What to tell somebody whose Node is too old; undefined: it is not. Nothing newer than Node 20 may be needed to say it. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `troupe needs Node ${OLDEST_NODE} or later, and this is Node ${version}. Install a newer one from https://nodejs.org.`
}
