const NAME_LIMIT = 512
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Returns true for a name from a server that can be shown unchanged. */
export function isUsableName(name: unknown): name is string {
  return (
    typeof name === 'string' && name !== '' && name.length <= NAME_LIMIT && !FORBIDDEN_CHARACTERS.test(name)
  )
}
