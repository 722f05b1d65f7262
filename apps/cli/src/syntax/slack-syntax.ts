import type { Command } from 'commander'
import type { SlackOptions } from '../commands/slack.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
The tokens stand in \`slack\` of troupe.json, best as \${SLACK_BOT_TOKEN} and \${SLACK_APP_TOKEN}. SIGTERM lets answers end, a second one does not wait.

Examples:
  troupe slack ./team --check     says whether Slack takes the app
  troupe slack ./team             answers mentions, direct messages and the slash command
`

export function addSlack(program: Command, launch: Launch): void {
  const command = program
    .command('slack')
    .description('answer in Slack: a thread is a conversation, children are rows of its answer')
    .argument('[cards...]', 'cards, or folders with cards; default: this folder')
    .option('--agent <name>', 'the agent that answers where no rule of a channel names one')
  addTeamOptions(command)
    .option('--check', 'look whether Slack takes the tokens and the scopes, and end')
    .option('--store <file>', 'the file that keeps the runs; what was asked is kept in slack.db beside it')
    .option('--no-store', 'keep nothing: what is not answered when the program ends is lost')
    .option('-w, --watch', 'take edits of cards at once; runs at work keep the team that they began with')
    .option('-q, --quiet', 'print nothing but errors')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((cards: readonly string[], options: SlackOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { slackCommand } = await import('../commands/slack.ts')
        return slackCommand(cards, options, context)
      }),
    )
}
