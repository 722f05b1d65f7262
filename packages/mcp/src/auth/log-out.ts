import type { LoginStore } from './saved-login.ts'

/** Forgets the login of a principal to the server at an address. True when there was one. */
export function logOut(options: {
  readonly url: string
  readonly principal: string
  readonly store: LoginStore
}): Promise<boolean> {
  const { url, principal, store } = options
  return store.remove({ url: new URL(url).href, principal })
}
