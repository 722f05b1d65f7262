/** Oldest supported Node version, the same as `engines` in package.json. */
export const OLDEST_NODE = '22.18'

/**
 * Returns the message for an unsupported version of Node; `undefined` if it is supported. Must run on Node
 * 20.
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `troupe needs Node ${OLDEST_NODE} or later, but this is Node ${version}. Install a newer version from https://nodejs.org.`
}
