import { scriptedModel } from '@troupe/testkit'
import { HAS_PYTHON, PYTHON_NOTE, recordEvents } from '@troupe/testkit/internal'
import { messageText } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { codes, openTeam } from './support/open-team.ts'

const TOOLS = `
def execute(command: str) -> str:
    """Pretends to run a command."""
    return "ran " + command
`

/** Runs a fast-agent card with hooks by phase; its model makes the calls given. */
async function runPhases(
  hooks: string,
  phases: Readonly<Record<string, string>>,
  calls: readonly string[],
  extra = '',
) {
  const model = scriptedModel([
    ...calls.map((command) => ({ calls: [{ tool: 'execute', args: { command } }] })),
    { text: 'done' },
  ])
  const hookLines = Object.entries(phases).map(([phase, spec]) => `  ${phase}: ${spec}`)
  const fields = ['type: agent', 'name: op', 'model: model', 'function_tools: [tools.py:execute]', extra]
  const host = await openTeam(
    {
      '.fast-agent/agent-cards/op.md': ['---', ...fields, 'tool_hooks:', ...hookLines, '---', 'Work.'].join(
        '\n',
      ),
      '.fast-agent/agent-cards/tools.py': TOOLS,
      '.fast-agent/agent-cards/hooks.py': hooks,
    },
    { cards: ['.fast-agent/agent-cards'], env: process.env, models: { model } },
  )
  const record = recordEvents()
  const report = await host.run(undefined, 'go', { onEvent: record.listener })
  const results = record.of('tool-result').map(({ content, error }) => {
    const [part] = content
    return error?.code ?? (part?.type === 'text' ? part.text : '')
  })
  return { host, report, results, model, logs: record.of('log').map(({ text }) => text) }
}

describe.skipIf(!HAS_PYTHON)("fast-agent's hooks by phase", () => {
  it(`a hook before the tools rewrites and blocks commands of a model step${PYTHON_NOTE}`, async () => {
    const hooks = `
from fast_agent.core.logging.logger import get_logger
from fast_agent.hooks import HookContext

logger = get_logger(__name__)

async def guard(ctx: HookContext) -> None:
    for call in (ctx.message.tool_calls or {}).values():
        if call.params.name != "execute":
            continue
        arguments = call.params.arguments
        if arguments["command"].startswith("rm "):
            arguments["command"] = "printf 'Blocked'"
        else:
            arguments["command"] = arguments["command"].replace("rg -R", "rg")
`
    const { results, report } = await runPhases(hooks, { before_tool_call: 'hooks.py:guard' }, [
      'rg -R foo',
      'rm -rf /',
      'ls',
    ])
    expect(report.outcome).toBe('completed')
    expect(results).toEqual(['ran rg foo', "ran printf 'Blocked'", 'ran ls'])
  })

  it('a call that a hook changed is validated and needs permission like a call of the model', async () => {
    const hooks = `
async def wrong(ctx):
    for call in ctx.message.tool_calls.values():
        call.params.arguments = {"command": 3}
async def elsewhere(ctx):
    for call in ctx.message.tool_calls.values():
        call.params.name = "nowhere"
async def burn(ctx):
    for call in ctx.message.tool_calls.values():
        call.params.arguments["command"] = "burn it"
`
    const calls = ['ls']
    const wrong = await runPhases(hooks, { before_tool_call: 'hooks.py:wrong' }, calls)
    expect(wrong.results).toEqual(['tool_bad_arguments'])
    const elsewhere = await runPhases(hooks, { before_tool_call: 'hooks.py:elsewhere' }, calls)
    expect(elsewhere.results).toEqual(['tool_unknown'])
    const rule = 'permissions: {deny: [{tool: execute, argument: command, pattern: "burn*"}]}'
    const burn = await runPhases(hooks, { before_tool_call: 'hooks.py:burn' }, calls, rule)
    expect(burn.results).toEqual(['permission_denied'])
  })

  it('attributes of the runner live for one run of the agent, across its phases', async () => {
    const hooks = `
async def count(ctx):
    ctx.runner.calls = getattr(ctx.runner, "calls", 0) + 1
    print(ctx.hook_type, ctx.iteration, ctx.runner.calls, ctx.message.first_text() or ctx.message.stop_reason)
`
    const phases = Object.fromEntries(
      ['before_llm_call', 'after_llm_call', 'before_tool_call', 'after_tool_call', 'after_turn_complete'].map(
        (phase) => [phase, 'hooks.py:count'],
      ),
    )
    const { logs, host } = await runPhases(hooks, phases, ['ls'])
    expect(logs).toEqual([
      'before_llm_call 0 1 go',
      'after_llm_call 0 2 toolUse',
      'before_tool_call 0 3 toolUse',
      'after_tool_call 0 4 None',
      'before_llm_call 1 5 None',
      'after_llm_call 1 6 done',
      'after_turn_complete 1 7 done',
    ])
    expect(codes(host.plan().problems.filter(({ severity }) => severity === 'error'))).not.toContain(
      'card_unsupported',
    )
  })

  it('a hook changes results after the tools, and messages before a model call for the rest of the run', async () => {
    const hooks = `
from fast_agent.types import PromptMessageExtended
from fast_agent.mcp.helpers.content_helpers import text_content

async def hide(ctx):
    for result in ctx.message.tool_results.values():
        result.content[0].text = result.content[0].text.replace("ls", "***")

async def remind(ctx):
    if ctx.iteration == 0:
        ctx.message.content[0].text += "!"
        ctx.runner.append_messages(PromptMessageExtended(role="user", content=[text_content("be brief")]))
`
    const phases = { after_tool_call: 'hooks.py:hide', before_llm_call: 'hooks.py:remind' }
    const { model, report } = await runPhases(hooks, phases, ['ls'])
    expect(report.outcome).toBe('completed')
    const prompts = model.calls.map(({ prompt }) =>
      prompt.filter(({ role }) => role === 'user').map((message) => messageText(message)),
    )
    expect(prompts).toEqual([
      ['go!', 'be brief'],
      ['go!', 'be brief'],
    ])
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('ran ***')
  })

  it('an exception of a hook ends the run with the last frame of its traceback', async () => {
    const hooks =
      'async def stop(ctx):\n    raise RuntimeError("enough")\nasync def reset(ctx):\n    ctx.load_message_history([])\n'
    const { report, results } = await runPhases(hooks, { before_tool_call: 'hooks.py:stop' }, ['ls'])
    expect(results).toEqual([])
    expect(report.error).toMatchObject({
      code: 'hook_failed',
      message: 'The loop hook beforeTools stopped the run: RuntimeError: enough (hooks.py:2, in stop)',
    })
    const reset = await runPhases(hooks, { after_llm_call: 'hooks.py:reset' }, ['ls'])
    expect(reset.report.error?.message).toContain('does not let hooks replace the history')
  })

  it('an unknown phase and a hook with another form are errors of the card', async () => {
    const { host } = await runPhases(
      'async def two(ctx, call_next):\n    pass\n',
      {
        before_lunch: 'hooks.py:two',
        before_tool_call: 'hooks.py:two',
      },
      [],
    )
    const found = codes(host.plan().problems.filter(({ severity }) => severity === 'error'))
    expect(found).toContain('card_unsupported')
  })
})
