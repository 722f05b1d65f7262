import type { LoginStore } from './saved-login.ts'

/** Deletes the login of a principal to a server. Resolves to true if there was one. */
export function logOut(options: {
  readonly url: string
  readonly principal: string
  readonly store: LoginStore
}): Promise<boolean> {
  const { url, principal, store } = options
  return store.remove({ url: new URL(url).href, principal })
}
