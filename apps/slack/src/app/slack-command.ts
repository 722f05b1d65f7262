/** A slash command that the app answers itself. */
export interface SlackCommand {
  readonly command: string
  /** The text of the command in lower case, such as `agents`. */
  readonly subcommand: string
  readonly team: string
  readonly user: string
  readonly channel: string
}
