import { AGENT } from './agent.ts'
import { BUDGET } from './budget.ts'
import { EXIT_CHAT } from './exit.ts'
import { helpOn } from './help.ts'
import { MODEL } from './model.ts'
import { NEW } from './new.ts'
import { RETRY } from './retry.ts'
import { RUNS } from './runs.ts'
import { SAVE } from './save.ts'
import { SESSIONS } from './sessions.ts'
import type { SlashCommand } from './slash-command.ts'
import { TOOLS } from './tools.ts'

const WITHOUT_HELP: readonly SlashCommand[] = [
  RETRY,
  AGENT,
  MODEL,
  TOOLS,
  RUNS,
  BUDGET,
  SESSIONS,
  NEW,
  SAVE,
  EXIT_CHAT,
]

/** All slash commands, in the order of `/help`. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [...WITHOUT_HELP, helpOn(WITHOUT_HELP)]
