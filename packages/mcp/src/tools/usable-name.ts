const NAME_LIMIT = 512
const UNNAMEABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** True for a name that a server gives to something and that can be shown as it is. */
export function isUsableName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= NAME_LIMIT && !UNNAMEABLE.test(name)
}
