import { Option, type Command } from 'commander'
import type { ChatOptions } from '../chat/chat-context.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const EXAMPLES = `
At a terminal, answers are streamed, with the active children below. Type a message, or one of the commands /agent,
/model, /tools, /runs, /budget, /retry, /sessions, /new, /save, /exit and /help. Ctrl-C stops the answer, Ctrl-D exits.
Without a terminal, each line of stdin is a turn, and the answers go to stdout.

Examples:
  troupe chat time.md
  troupe chat ./team --agent planner --max-cost 0.5
  troupe chat ./team --list                     # list earlier conversations
  troupe chat ./team --continue                 # continue the latest one
  troupe chat ./team --session trip             # continue this one, or start it
  troupe chat ./team --watch                    # apply edits to cards from the next message on
  printf 'What time is it?\\nAnd in Rome?\\n' | troupe chat time.md --quiet
`

export function addChat(program: Command, launch: Launch): void {
  const command = program
    .command('chat')
    .description('chat with the agents of a card or folder')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent to chat with; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(repeatable('--set <key=value>', 'change a key of the entry agent, such as limits.maxTurns=5'))
    .addOption(
      new Option('--session <id>', 'continue this conversation, or start it').conflicts(['continue', 'list']),
    )
    .addOption(new Option('-c, --continue', 'continue the most recent conversation').conflicts('list'))
    .option('--list', 'list the conversations with agents of this team')
    .option('--whole', 'without a terminal: read all of stdin as one message')
    .option('--store <file>', 'the file to save runs in; default: runs.db in the state folder')
    .option('--no-store', 'save nothing; the conversation ends with the program')
    .option('--timeout <duration>', 'the time limit of one answer, such as 60s')
    .option('--max-cost <usd>', 'the maximum cost of all answers together, such as 0.5')
    .option('--max-tokens <number>', 'the maximum number of input and output tokens of all answers together')
    .option('-w, --watch', 'apply edits to cards at once; an answer in progress is not affected')
    .option('-y, --yes', 'approve every call that needs approval')
    .option('-q, --quiet', 'print only errors and questions on stderr')
    .option('-v, --verbose', 'print longer lines instead of the panel')
    .addOption(
      new Option(
        '--log-format <format>',
        'print lines instead of the panel, as text or as JSON objects',
      ).choices(['text', 'json']),
    )
    .option('--no-color', 'switch colours off')
    .addHelpText('after', EXAMPLES)
    .action((card: string, options: ChatOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { chatCommand } = await import('../commands/chat.ts')
        return chatCommand(card, options, context)
      }),
    )
}
