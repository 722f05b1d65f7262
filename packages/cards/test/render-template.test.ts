import { defineAgent, type AgentDefinition } from '@troupe/schema'
import { AGENT_KEYS, LIMIT_KEYS } from '@troupe/schema/agent-keys'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCard, renderTemplate, type ParsedCard } from '../src/index.ts'
import { parse } from './card-text.ts'

/** The template of a definition, saved as a card with its prompt. */
function saved(definition: AgentDefinition): ParsedCard {
  return parseCard(`${renderTemplate(definition)}${definition.instruction}\n`, { path: '/team/agent.md' })
}

/** A definition without what tells where it was written and what its author wrote himself. */
function contentOf(definition: AgentDefinition | undefined): unknown {
  return { ...definition, source: undefined, digest: undefined, ownLimits: undefined }
}

const AGENT = defineAgent({ name: 'time', instruction: 'Tell the time.' })

describe('renderTemplate', () => {
  it(`renderTemplate shows every key with all defaults ${verifies('C58')}`, () => {
    const template = renderTemplate(AGENT)
    for (const key of AGENT_KEYS)
      expect(template).toMatch(new RegExp(`^(?:# )?${key.replace('$', '\\$')}:`, 'mu'))
    for (const key of LIMIT_KEYS) expect(template).toMatch(new RegExp(`^  (?:# )?${key}:`, 'mu'))
    expect(template).toContain('  maxTurns: 10\n')
    expect(template).toContain('  childTimeout: 10m\n')
    expect(template).toContain('\nversion: 0.0.0 #')
    expect(template.startsWith('---\n')).toBe(true)
    expect(template.endsWith('\n---\n')).toBe(true)
  })

  it(`renderTemplate returns the front matter of a new card ${verifies('C59')}`, () => {
    const card = saved(AGENT)
    expect(card.problems).toMatchObject([{ code: 'card_no_description' }])
    expect(contentOf(card.definition)).toEqual(contentOf(AGENT))
  })

  it('renderTemplate has valid examples in its comments', () => {
    const uncommented = renderTemplate(AGENT).replaceAll(
      /^(?<indent> *)# (?<line>[$a-zA-Z]+: .*)$/gmu,
      '$<indent>$<line>',
    )
    expect(uncommented).toContain('\ntemperature: 0.7 #')
    expect(uncommented).toContain('\n  maxCost: 0.5\n')
    const card = parseCard(uncommented.replace(/^instruction: .*\n/mu, '') + 'hi', { path: '/team/a.md' })
    expect(card.problems).toEqual([])
  })

  it(`renderTemplate prefers the card, then the configuration, then built-in defaults ${verifies('C58')}`, () => {
    const card = parse('description: d\nlimits: {maxTurns: 3}').definition
    const defaults = { model: 'openai/gpt-5-mini', limits: { maxTurns: 5, maxRetries: 7, timeout: 90_000 } }
    const template = card === undefined ? '' : renderTemplate(card, defaults)
    expect(template).toContain('\nmodel: openai/gpt-5-mini #')
    expect(template).toContain('  maxTurns: 3\n')
    expect(template).toContain('  maxRetries: 7\n')
    expect(template).toContain('  timeout: 90s\n')
    const own = parse('description: d\nmodel: [a/b, c/d]').definition
    expect(own && renderTemplate(own, defaults)).toContain('model:\n  - a/b\n  - c/d\n')
  })

  it('renderTemplate leaves out values that are only possible in code', () => {
    const agent = defineAgent({
      name: 'coder',
      description: 'd',
      instruction: 'hi',
      agents: [AGENT, 'other'],
      functionTools: [() => 1, 'a.ts:b'],
      toolHooks: [(_ctx, args, callNext) => callNext(args), { use: 'troupe:redact' }],
      loopHooks: { onEnd: 'a.ts:end' },
    })
    expect(saved(agent).definition).toMatchObject({
      agents: ['time', 'other'],
      functionTools: ['a.ts:b'],
      toolHooks: [{ use: 'troupe:redact' }],
      loopHooks: { onEnd: 'a.ts:end' },
    })
  })

  it('renderTemplate reproduces any definition', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/u)
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('---', '# x', 'a: b', 'yes', '2026-01-01', 'x\n---\ny\n', ' x ', '{x}', '0x1'),
    )
    const texts = fc.array(text, { maxLength: 3 })
    const json = fc.jsonValue({ maxDepth: 3 })
    const schema = fc.dictionary(name, json, { maxKeys: 3 })
    const fields = fc.record(
      {
        description: text,
        usage: text,
        version: fc.constantFrom('1.4.0', '0.0.0', '2.0.0-beta.1+5e1f'),
        mode: fc.constantFrom('interactive', 'autonomous', 'tools'),
        default: fc.boolean(),
        model: fc.oneof(name, fc.array(name, { minLength: 1, maxLength: 3 })),
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        stopSequences: texts,
        toolName: name,
        input: fc.record({ format: fc.constantFrom('text', 'json'), schema }, { requiredKeys: [] }),
        output: fc.record(
          { format: fc.constantFrom('text', 'markdown', 'json'), schema },
          { requiredKeys: [] },
        ),
        agents: fc.array(name, { maxLength: 3 }),
        tools: fc.oneof(texts, fc.dictionary(name, texts), fc.dictionary(name, fc.boolean())),
        toolHooks: fc.array(fc.oneof(name, fc.record({ use: name, option: json })), { maxLength: 3 }),
        mcpServers: fc.dictionary(
          name,
          fc.record({ command: name, args: texts, env: fc.dictionary(name, text) }),
        ),
        limits: fc.record(
          {
            maxTurns: fc.integer({ min: 1 }),
            llmTimeout: fc.nat(),
            timeout: fc.nat(),
            maxCost: fc.double({ min: 0.001, max: 99, noNaN: true }),
          },
          { requiredKeys: [] },
        ),
        permissions: fc.record({ deny: texts, ask: texts }, { requiredKeys: [] }),
        toolPrefix: fc.oneof(fc.boolean(), text),
        context: fc.record(
          { strategy: fc.constantFrom('trim', 'fail'), keepTurns: fc.integer({ min: 1 }) },
          { requiredKeys: [] },
        ),
        acquire: fc.oneof(fc.constant('fresh' as const), fc.record({ pool: fc.integer({ min: 1 }) })),
        sequence: texts,
        minRating: text,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(name, fields, (agent, rest) => {
        const definition = defineAgent({ ...(rest as object), name: agent, instruction: 'Do it.' })
        const card = saved(definition)
        expect(card.problems.filter((problem) => problem.severity === 'error')).toEqual([])
        expect(contentOf(card.definition)).toEqual(contentOf(definition))
      }),
      { numRuns: 300 },
    )
  })
})
