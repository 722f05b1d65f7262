import { describe, expect, it } from 'vitest'
import { parseCard } from './cards.ts'

function read(yaml: string) {
  const card = parseCard(`---\ntype: agent\n${yaml}\n---\nHelp.\n`, {
    path: '/p/.fast-agent/agent-cards/a.md',
  })
  const problems = card.problems.filter(({ code }) => code === 'card_unsupported')
  return { ...card, problems: problems.map(({ severity, line, message }) => ({ severity, line, message })) }
}

describe('functions of a fast-agent card', () => {
  it.each([
    ['function_tools: tools.py:add', ['tools.py:add']],
    ['function_tools: [tools.py:add, lib/more.py:sub]', ['tools.py:add', 'lib/more.py:sub']],
    ['function_tools: [{entrypoint: "tools.py:add"}]', ['tools.py:add']],
  ])('functions are named as in fast-agent: %s', (yaml, functionTools) => {
    const { definition, problems } = read(yaml)
    expect(problems).toEqual([])
    expect(definition?.functionTools).toEqual(functionTools)
  })

  it('a function for source code that the model writes is a function like any other', () => {
    const { definition, problems } = read(
      'function_tools:\n  - tools.py:add\n  - {entrypoint: "tools.py:run", variant: code, code_arg: code, language: python}',
    )
    expect(problems).toEqual([])
    expect(definition?.functionTools).toEqual(['tools.py:add', 'tools.py:run'])
  })

  it('an unknown variant is an error', () => {
    const entry = 'function_tools: [{entrypoint: "tools.py:run", variant: shell}]'
    const card = parseCard(`---\ntype: agent\n${entry}\n---\nHelp.\n`, {
      path: '/p/.fast-agent/agent-cards/a.md',
    })
    expect(card.definition).toBeUndefined()
    expect(card.problems.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({
        code: 'card_bad_value',
        message: '`function_tools.0.variant` must be `code`.',
      }),
    ])
  })
})

describe('hooks of a fast-agent card', () => {
  it('hooks by phase become loop hooks', () => {
    const { definition, problems } = read(
      'tool_hooks:\n  before_llm_call: h.py:a\n  after_llm_call: h.py:b\n  before_tool_call: h.py:c\n  after_tool_call: h.py:d\n  after_turn_complete: h.py:e',
    )
    expect(problems).toEqual([])
    expect(definition?.toolHooks).toEqual([])
    expect(definition?.loopHooks).toEqual({
      beforeModel: 'h.py:a',
      afterModel: 'h.py:b',
      beforeTools: 'h.py:c',
      afterTools: 'h.py:d',
      onEnd: 'h.py:e',
    })
  })

  it('a phase without a hook is left out, and an unknown phase is an error', () => {
    const { problems, definition } = read('tool_hooks: {before_tool_call: null, after_tool_call: h.py:d}')
    expect(problems).toEqual([])
    expect(definition?.loopHooks).toEqual({ afterTools: 'h.py:d' })
    expect(read('tool_hooks: {before_lunch: h.py:a}').problems).toEqual([
      {
        severity: 'error',
        line: 3,
        message: expect.stringContaining(
          '`tool_hooks.before_lunch` is not a phase. Phases: before_llm_call,',
        ),
      },
    ])
  })

  it('a list of hooks wraps each call', () => {
    expect(read('tool_hooks: [h.py:a]').definition).toMatchObject({ toolHooks: ['h.py:a'], loopHooks: {} })
  })
})
