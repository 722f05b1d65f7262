/** The file that a call of `filesystem.write` would change, as it is at the moment. */
export type WriteTarget =
  | {
      readonly state: 'text'
      readonly text: string
      /** Time of the last change, in ms since 1970. */
      readonly changedAt: number
    }
  | { readonly state: 'missing' }
  /** The content is not shown, for example because the agent may not read the file or it is too large. */
  | { readonly state: 'hidden'; readonly reason: string }
