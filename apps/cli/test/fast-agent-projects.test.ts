import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { faultMcpStdio, HAS_PYTHON, PYTHON_NOTE, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { KEY, promptOf, runProject, toolsOf } from './run-fast-agent-project.ts'
import { troupe } from './team.ts'

const { command, args } = faultMcpStdio()

const agent = (name: string, keys = ''): string =>
  `---\nname: ${name}\ndescription: The ${name} of the picnic.\n${keys}---\nYou are the ${name}.\n`

describe('the workflows of a fast-agent project', () => {
  it(`a router sends the request to the agent that its model chooses ${verifies('R4')}`, async () => {
    const { code, out, requestsOf, bodies } = await runProject(
      {
        'desk.md':
          '---\ntype: router\ndefault: true\nagents: [cook, driver]\nmodel: generic.router-model\n---\nYou route.\n',
        'cook.md': agent('cook'),
        'driver.md': agent('driver'),
      },
      {
        answers: {
          'You route.': [{ text: '{"agent": "driver", "confidence": "high", "reasoning": "a trip"}' }],
          'You are the driver.': [{ text: 'The bus leaves at nine.' }],
        },
      },
    )
    expect([code, out]).toEqual([0, 'The bus leaves at nine.\n'])
    expect(requestsOf('You route.')[0]).toContain('- cook: The cook of the picnic.')
    expect(requestsOf('You are the driver.')).toEqual(['Plan a picnic.'])
    expect(bodies.map(({ model }) => model)).toEqual(['router-model', 'house-model'])
  })

  it(`a chain passes each answer to the next agent ${verifies('R4')}`, async () => {
    const { code, out, requestsOf } = await runProject(
      {
        'all.yaml': 'type: chain\nname: all\ndefault: true\nsequence: [cook, critic]\n',
        'cook.md': agent('cook'),
        'critic.md': agent('critic'),
      },
      {
        answers: {
          'You are the cook.': [{ text: 'Bread and cheese.' }],
          'You are the critic.': [{ text: 'Add fruit.' }],
        },
      },
    )
    expect([code, out]).toEqual([0, 'Add fruit.\n'])
    expect(requestsOf('You are the critic.')).toEqual(['Bread and cheese.'])
  })

  it(`a parallel workflow asks all agents and lets the last one join the answers ${verifies('R4')}`, async () => {
    const { code, out, requestsOf } = await runProject(
      {
        'all.md': '---\ntype: parallel\ndefault: true\nfan_out: [cook, driver]\nfan_in: writer\n---\n',
        'cook.md': agent('cook'),
        'driver.md': agent('driver'),
        'writer.md': agent('writer'),
      },
      {
        answers: {
          'You are the cook.': [{ text: 'Bread and cheese.' }],
          'You are the driver.': [{ text: 'By bus.' }],
          'You are the writer.': [{ text: 'Bread on the bus.' }],
        },
      },
    )
    expect([code, out]).toEqual([0, 'Bread on the bus.\n'])
    expect(requestsOf('You are the writer.')).toEqual([
      'The request was:\nPlan a picnic.\n\ncook answered:\nBread and cheese.\n\ndriver answered:\nBy bus.',
    ])
  })

  it(`an evaluator_optimizer revises the answer until it is rated well enough ${verifies('R4')}`, async () => {
    const { code, out, requestsOf } = await runProject(
      {
        'all.md':
          '---\ntype: evaluator_optimizer\ndefault: true\ngenerator: cook\nevaluator: critic\nmin_rating: EXCELLENT\nmax_refinements: 2\nrefinement_instruction: Keep it short.\n---\n',
        'cook.md': agent('cook'),
        'critic.md': agent('critic'),
      },
      {
        answers: {
          'You are the cook.': [{ text: 'Bread.' }, { text: 'Bread and plums.' }],
          'You are the critic.': [
            { text: '{"rating": "GOOD", "feedback": "No fruit."}' },
            { text: '{"rating": "EXCELLENT", "feedback": ""}' },
          ],
        },
      },
    )
    expect([code, out]).toEqual([0, 'Bread and plums.\n'])
    const [, second] = requestsOf('You are the cook.')
    expect(second).toContain('It was rated GOOD:\nNo fruit.\n\nKeep it short.')
  })

  it(`an orchestrator plans tasks, runs its agents and writes the answer ${verifies('R4')}`, async () => {
    const tasks = [
      { agent: 'cook', task: 'Choose food.' },
      { agent: 'driver', task: 'Find a bus.' },
    ]
    const { code, out, requestsOf } = await runProject(
      {
        'all.md':
          '---\ntype: orchestrator\ndefault: true\nagents: [cook, driver]\nplan_type: iterative\nplan_iterations: 3\n---\nYou plan.\n',
        'cook.md': agent('cook'),
        'driver.md': agent('driver'),
      },
      {
        answers: {
          'You plan.': [{ text: JSON.stringify({ tasks, done: true }) }, { text: 'Cheese at nine.' }],
          'You are the cook.': [{ text: 'Cheese.' }],
          'You are the driver.': [{ text: 'Nine.' }],
        },
      },
    )
    expect([code, out]).toEqual([0, 'Cheese at nine.\n'])
    expect(requestsOf('You are the cook.')).toEqual(['Choose food.'])
    expect(requestsOf('You are the driver.')).toEqual(['Find a bus.'])
    expect(requestsOf('You plan.')[1]).toContain('cook answered:\nCheese.')
  })
})

describe('the tools of a fast-agent project', () => {
  it(`an agent calls another agent, and that one a server of the configuration ${verifies('R4')}`, async () => {
    const { code, out, err, requestsOf, bodies } = await runProject(
      {
        'lead.md': `${agent('lead', 'default: true\nagents: [cook]\n')}{{file:notes/house.md}} Today: {{currentDate}}.\n`,
        'cook.md': agent('cook', 'servers: [shop]\ntools: {shop: [say]}\n'),
      },
      {
        files: { 'notes/house.md': 'We eat no nuts.' },
        config: [
          `mcp: {servers: {shop: {command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, env: {PLACE: "\${PICNIC_PLACE}"}}}}`,
        ],
        answers: {
          'You are the lead.': [
            { calls: [{ name: 'agent__cook', args: { message: 'What is there?' } }] },
            { text: 'We eat plums.' },
          ],
          'You are the cook.': [
            { calls: [{ name: 'shop__say', args: { text: 'plums for sale' } }] },
            { text: 'There are plums.' },
          ],
        },
      },
    )
    expect([code, out]).toEqual([0, 'We eat plums.\n'])
    expect(toolsOf(bodies[0])).toEqual(['agent__cook'])
    expect(toolsOf(bodies[1])).toEqual(['shop__say'])
    expect(promptOf({ body: bodies[0] })).toContain('We eat no nuts. Today: ')
    expect(requestsOf('You are the cook.')[1]).toContain('plums for sale')
    expect(requestsOf('You are the lead.')[1]).toContain('There are plums.')
    expect(err).not.toContain(KEY)
  })

  it.skipIf(!HAS_PYTHON)(
    `Python functions are tools, and a Python hook changes the calls of a step ${verifies('R4')}${PYTHON_NOTE}`,
    async () => {
      const { code, out, err, bodies, requestsOf } = await runProject(
        {
          'cook.md': agent(
            'cook',
            'default: true\nfunction_tools: [../tools/price.py:price]\ntool_hooks:\n  before_tool_call: ../tools/halve.py:halve\n  after_turn_complete: ../tools/halve.py:finish\n',
          ),
        },
        {
          files: {
            '.fast-agent/tools/price.py': [
              'async def price(item: str, amount: int = 1) -> str:',
              '    """Returns the price of an item.',
              '',
              '    Args:',
              '        item: name of the item',
              '    """',
              '    return f"{amount} {item} cost {amount * 3}"',
              '',
            ].join('\n'),
            '.fast-agent/tools/halve.py': [
              'from fast_agent.hooks.hook_context import HookContext',
              '',
              'async def halve(ctx: HookContext) -> None:',
              '    for call in (ctx.message.tool_calls or {}).values():',
              '        call.params.arguments["amount"] //= 2',
              '        ctx.runner.halved = getattr(ctx.runner, "halved", 0) + 1',
              '',
              'async def finish(ctx: HookContext) -> None:',
              '    print("halved", ctx.runner.halved)',
              '',
            ].join('\n'),
          },
          answers: {
            'You are the cook.': [
              { calls: [{ name: 'price', args: { item: 'plums', amount: 8 } }] },
              { text: 'Four plums cost 12.' },
            ],
          },
        },
      )
      expect([code, out]).toEqual([0, 'Four plums cost 12.\n'])
      expect(bodies[0]).toMatchObject({
        tools: [
          {
            function: {
              name: 'price',
              description: 'Returns the price of an item.',
              parameters: {
                required: ['item'],
                properties: {
                  item: { type: 'string', description: 'name of the item' },
                  amount: { default: 1 },
                },
              },
            },
          },
        ],
      })
      expect(requestsOf('You are the cook.')[1]).toContain('4 plums cost 12')
      expect(err).toContain('halved 1')
    },
  )

  it(`tool cards belong to the agent of --agent, and variables set the provider ${verifies('R4')}`, async () => {
    const { code, out, bodies, requestsOf } = await runProject(
      {
        'lead.md': agent('lead', 'default: true\n'),
        'cook.markdown': agent('cook', 'model: openai.gpt-4.1\n'),
      },
      {
        options: ['--agent', 'cook'],
        files: { '.fast-agent/tool-cards/find.md': agent('find', 'model: openai.gpt-4.1\n') },
        provider: () => ({}),
        env: (baseURL) => ({ OPENAI__BASE_URL: baseURL, OPENAI_API_KEY: KEY }),
        answers: {
          'You are the cook.': [
            { calls: [{ name: 'agent__find', args: { message: 'Plums?' } }] },
            { text: 'Plums.' },
          ],
          'You are the find.': [{ text: 'In the garden.' }],
        },
      },
    )
    expect([code, out]).toEqual([0, 'Plums.\n'])
    expect(toolsOf(bodies[0])).toEqual(['agent__find'])
    expect(requestsOf('You are the cook.')[1]).toContain('In the garden.')
  })

  it.each([
    { options: [], asked: 'shell.execute requires approval', hasNotes: false },
    { options: ['--yes'], asked: 'Created notes.md', hasNotes: true },
  ])(
    `a shell comes with file tools that ask before they write, and never reach secrets and hooks: $options ${verifies('R4')}`,
    async ({ options, asked, hasNotes }) => {
      const { code, out, bodies, requestsOf, folder } = await runProject(
        { 'cook.md': agent('cook', 'default: true\nshell: true\n') },
        {
          options,
          files: { '.env': `GENERIC__API_KEY=${KEY}\n` },
          answers: {
            'You are the cook.': [
              {
                calls: [
                  { name: 'filesystem_read', args: { path: 'fast-agent.secrets.yaml' } },
                  { name: 'filesystem_read', args: { path: '.env' } },
                  { name: 'filesystem_write', args: { path: '.fast-agent/hooks/new.py', content: 'x' } },
                  { name: 'filesystem_write', args: { path: 'notes.md', content: 'Plums' } },
                  { name: 'shell_execute', args: { command: 'pwd' } },
                ],
              },
              { text: 'Done.' },
            ],
          },
        },
      )
      expect([code, out]).toEqual([0, 'Done.\n'])
      expect(new Set(toolsOf(bodies[0]))).toEqual(
        new Set(['filesystem_read', 'filesystem_write', 'shell_execute']),
      )
      const [, results = ''] = requestsOf('You are the cook.')
      expect(results.match(/contains secrets/gu)).toHaveLength(2)
      expect(results).not.toContain(KEY)
      expect(results).toContain(asked)
      expect(results.includes(folder)).toBe(hasNotes)
      expect([existsSync(join(folder, 'notes.md')), existsSync(join(folder, '.fast-agent/hooks'))]).toEqual([
        hasNotes,
        false,
      ])
    },
  )
})

it('check reports a lost setting of the configuration once, with its line', async () => {
  const { code, out } = await troupe(['check', '.fast-agent/agent-cards'], {
    'fast-agent.yaml': 'default_model: passthrough\ncompaction:\n  prompt: Short.\n',
    '.fast-agent/agent-cards/cook.md': agent('cook', 'default: true\n'),
    '.fast-agent/agent-cards/driver.md': agent('driver'),
  })
  expect(code).toBe(0)
  expect(out().match(/has no effect/gu)).toHaveLength(1)
  expect(out()).toContain('fast-agent.yaml:3:3  warning  `compaction.prompt` has no effect')
  expect(out()).toContain('2 agents, 0 errors, 1 warning')
})
