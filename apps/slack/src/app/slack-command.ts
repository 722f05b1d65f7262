/** A command that the app answers itself. */
export interface SlackCommand {
  readonly command: string
  /** In lower case. */
  readonly word: string
  readonly team: string
  readonly user: string
  readonly channel: string
}
