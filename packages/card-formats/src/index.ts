import type { CardFormats } from '@troupe/cards'
import { aiAgentFormat } from './ai-agent/ai-agent.ts'
import { claudeCodeFormat } from './claude/claude-code.ts'
import { claudeCommandFormat } from './claude/claude-command.ts'
import { codexFormat } from './codex/codex.ts'
import { readToml } from './codex/read-toml.ts'
import { copilotFormat } from './copilot/copilot.ts'
import { copilotPromptFormat } from './copilot/copilot-prompt.ts'
import { crewaiFormat } from './crewai/crewai.ts'
import { dockerAgentFormat } from './docker/docker-agent.ts'
import { fastAgentFormat } from './fast-agent/fast-agent.ts'
import { geminiFormat } from './gemini/gemini.ts'
import { geminiCommandFormat } from './gemini/gemini-command.ts'
import { gooseFormat } from './goose/goose.ts'
import { opencodeFormat } from './opencode/opencode.ts'
import { opencodeCommandFormat } from './opencode/opencode-command.ts'
import { OTHER_FILES } from './other-files.ts'
import { dropEmbeddings } from './tsagent/drop-embeddings.ts'
import { tsagentFormat } from './tsagent/tsagent.ts'

export { findTroupeKey } from './ai-agent/config-layers.ts'

/** The card formats of other products, for the `formats` option of `@troupe/cards`. */
export const CARD_FORMATS: CardFormats = {
  formats: [
    fastAgentFormat,
    aiAgentFormat,
    tsagentFormat,
    claudeCodeFormat,
    claudeCommandFormat,
    opencodeFormat,
    opencodeCommandFormat,
    copilotFormat,
    copilotPromptFormat,
    geminiFormat,
    geminiCommandFormat,
    codexFormat,
    crewaiFormat,
    gooseFormat,
    dockerAgentFormat,
  ],
  paths:
    /(?:^|\/)(?:\.|(?:opencode|agents|commands)\/)|opencode\.jsonc?$|(?:^|\/)agents\.ya?ml$|\.(?:ai|agent\.md|chatmode\.md|prompt\.md)$/iu,
  otherFiles: OTHER_FILES,
  readToml,
  withoutUnusedData: dropEmbeddings,
}
