import { describe, expect, it } from 'vitest'
import { problemsOf, readProjectCard, type ProjectFiles } from './project.ts'

const CARD = '.fast-agent/agent-cards/a.md'
const now = new Date(2025, 11, 17, 12)

function promptOf(body: string, more: ProjectFiles = {}): string | undefined {
  return readProjectCard(CARD, { [CARD]: `---\ndescription: d\n---\n${body}\n`, ...more }, { now }).definition
    ?.instruction
}

function problemsIn(body: string, more: ProjectFiles = {}): readonly string[] {
  return problemsOf(readProjectCard(CARD, { [CARD]: `---\ndescription: d\n---\n${body}\n`, ...more }))
}

describe('the prompt of a fast-agent card', () => {
  it('files are included from the folder that contains .fast-agent, once', () => {
    const files = { '.fast-agent/shared/x.md': 'X {{file:y.md}} {{file_silent:y.md}}', 'y.md': 'Y' }
    expect(promptOf('{{file:.fast-agent/shared/x.md}}!', files)).toBe('X {{file:y.md}} Y!')
  })

  it('a missing file is an error, unless it is included silently', () => {
    expect(problemsIn('{{file:no.md}}')).toEqual([
      'error card_include The prompt includes "no.md": /p/no.md does not exist.',
    ])
    expect(problemsIn('Hi {{file_silent:no.md}}')).toEqual([])
    expect(promptOf('Hi{{file_silent:no.md}}{{file_silent:/etc/x}}.')).toBe('Hi.')
  })

  it.each([
    ['{{file:../outside.md}}', 'error card_include', 'it is outside the folder /p'],
    ['{{file:/etc/passwd}}', 'error card_include', 'the path is absolute'],
    ['{{file:.env}}', 'error card_include', 'files with variables are never part of a prompt'],
    ['{{file:sub/.env.local}}', 'error card_include', 'files with variables are never part of a prompt'],
    ['x{{file_silent:.env}}', 'warning card_include', 'files with variables are never part of a prompt'],
    ['x{{file_silent:../a}}', 'warning card_include', 'it is outside the folder /p'],
    ['{{url:https://x.example/y}}', 'error card_include', 'nothing is fetched while a card is read'],
    ['x{{internal:smart_prompt}}', 'warning card_include', 'a text inside fast-agent'],
  ])('text from elsewhere is not included: %s', (body, code, why) => {
    const files = { '.env': 'SECRET=1', 'sub/.env.local': 'SECRET=1', '../outside.md': 'SECRET' }
    expect(problemsIn(body, files)).toEqual([expect.stringContaining(code)])
    expect(problemsIn(body, files)[0]).toContain(why)
    expect(promptOf(body, files) ?? '').not.toContain('SECRET')
  })

  it.each([
    ['{{currentDate}}', '17 December 2025'],
    ['{{workspaceRoot}}', '/p'],
    ['{{homeDir}} {{environmentDir}}', '/p/.fast-agent /p/.fast-agent'],
    ['{{homeAgentCardsDir}} {{homeToolCardsDir}}', '/p/.fast-agent/agent-cards /p/.fast-agent/tool-cards'],
    ['{{agentName}} {{agentType}}', 'a agent'],
    ['{{agentCardPath}} {{agentCardDir}}', '/p/.fast-agent/agent-cards/a.md /p/.fast-agent/agent-cards'],
    ['x{{serverInstructions}}{{model_specific}}{{executionEnvironmentName}}', 'x'],
    ['{{unknown}} {{ spaced }}', '{{unknown}} {{ spaced }}'],
    [String.raw`\{{currentDate}} \{{file:no.md}}`, '{{currentDate}} {{file:no.md}}'],
    ['---SYSTEM\nHi.', 'Hi.'],
    ['<!-- fast-agent-subagents on -->\nHi.', 'Hi.'],
  ])('a placeholder is replaced: %s', (body, prompt) => {
    expect(promptOf(body)).toBe(prompt)
  })

  it('the date stays a placeholder if it is not known', () => {
    const files = { [CARD]: '---\ndescription: d\n---\n{{currentDate}}\n' }
    expect(readProjectCard(CARD, files).definition?.instruction).toBe('{{currentDate}}')
  })

  it('a card that is not a local file learns nothing about this computer', () => {
    const files = { [CARD]: '---\ndescription: d\n---\n<{{env}}{{workspaceRoot}}{{hostPlatform}}>\n' }
    expect(readProjectCard(CARD, files, { readText: undefined as never }).definition?.instruction).toBe('<>')
  })

  it('an agent without a prompt gets that of fast-agent, with AGENTS.md and the environment', () => {
    const prompt = promptOf('', { 'AGENTS.md': 'Use tabs.' }) ?? ''
    expect(prompt).toMatch(
      /^You are a helpful AI agent\.\n\nUse tabs\.\nEnvironment:\n- Workspace root: \/p\n/u,
    )
    expect(prompt).toMatch(/Today is 17 December 2025\.$/u)
  })

  it('a router without a prompt gets none', () => {
    const files = { [CARD]: '---\ntype: router\nagents: [b]\n---\n' }
    expect(readProjectCard(CARD, files).definition?.instruction).toBe('')
  })
})
