/** Oldest supported Node version, the same as `engines` in package.json. */
export const MIN_NODE_VERSION = '22.18'

/**
 * Returns the message for an unsupported version of Node; `undefined` if it is supported. Must run on Node
 * 20.
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = MIN_NODE_VERSION.split('.').map(Number)
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined
  return `troupe needs Node ${MIN_NODE_VERSION} or later, but this is Node ${version}. Install a newer version from https://nodejs.org.`
}
