import { createAccount, createDiscardingLog, createPermission, createRunTreeContext } from '@troupe/core'
import {
  defineAgent,
  troupeError,
  type AgentDefinition,
  type LanguageModel,
  type RunListener,
} from '@troupe/schema'
import type { PreparedAgent, RunResult } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import {
  agentTool,
  createCatalogue,
  createInProcessExecutor,
  type ExecutorOptions,
  type InProcessExecutor,
} from '../src/index.ts'

const parent = defineAgent({ name: 'Parent', instruction: 'Ask the child.' })
const child = defineAgent({ name: 'Child', instruction: 'Answer.' })

function prepared(definition: AgentDefinition, model: LanguageModel): PreparedAgent {
  const tools = definition.name === 'Parent' ? [agentTool(child)] : []
  return {
    definition,
    system: definition.instruction,
    models: [{ id: 'script/test', provider: 'script', limiterKey: 'script', open: () => model }],
    tools: new Map(tools.map((tool) => [tool.wireName, tool])),
    hooks: [],
    loopHooks: {},
    validate: (_schema, args) => ({ ok: true, args }),
    permission: createPermission(definition),
    env: () => undefined,
    release: () => undefined,
  }
}

function start(
  executor: InProcessExecutor,
  agent: { readonly name: string; readonly digest: string },
  listener?: RunListener,
): Promise<RunResult> {
  const log = createDiscardingLog()
  if (listener !== undefined) log.subscribe(listener)
  const root = createRunTreeContext({ log, executor, limits: parent.limits })
  root.budgetLedger.openRun(root.maxRuns)
  const request = {
    runId: 'root',
    rootRunId: 'root',
    agent: { name: agent.name, digest: agent.digest },
    instance: agent.name,
    input: 'go',
    ancestry: [],
    sessionId: 'root',
    principal: 'local',
  }
  const control = {
    signal: new AbortController().signal,
    deadline: undefined,
    account: createAccount(),
  }
  return executor.start(request, root, control)
}

const catalogue = createCatalogue([parent, child])
const executorWith = (prepare: ExecutorOptions['prepare']) => createInProcessExecutor({ catalogue, prepare })

describe('createInProcessExecutor', () => {
  it(`createInProcessExecutor opens a new session for every call of a child ${verifies('C2', 'C16', 'R1')}`, async () => {
    const models = {
      Parent: scriptedModel([
        { calls: ['one', 'two'].map((text) => ({ tool: 'agent__Child', args: { text } })) },
        { text: 'done' },
      ]),
      Child: scriptedModel((prompt) => ({ text: `${prompt.length} messages` })),
    }
    const preparedFor: string[] = []
    const executor = executorWith(async (definition, request) => {
      preparedFor.push(request.instance)
      return prepared(definition, definition.name === 'Parent' ? models.Parent : models.Child)
    })
    const result = await start(executor, parent)
    expect(result.outcome).toBe('completed')
    expect(preparedFor).toEqual(['Parent', 'Child[1]', 'Child[2]'])
    expect(models.Child.calls.map((call) => call.prompt.length)).toEqual([2, 2])
  })

  it('createInProcessExecutor fails with agent_unknown for an unknown definition', async () => {
    const executor = executorWith(() => Promise.reject(troupeError('internal', 'not asked for')))
    const result = await start(executor, { name: 'Child', digest: 'other' })
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'agent_unknown', class: 'config' } })
  })

  it('createInProcessExecutor turns an error of the preparation into the failure of that run', async () => {
    const executor = executorWith(() => Promise.reject(troupeError('env_missing', 'Missing: KEY')))
    const record = recordEvents()
    const result = await start(executor, parent, record.listener)
    expect(result.failure).toMatchObject({ code: 'env_missing', message: 'Missing: KEY' })
    expect(record.types()).toEqual(['run-start', 'run-end'])
  })

  it('createInProcessExecutor emits warnings of the preparation as events of that run', async () => {
    const record = recordEvents()
    const executor = executorWith(async (definition, _request, { warn }) => {
      warn({ code: 'tool_name_conflict', message: 'renamed' })
      return prepared(definition, scriptedModel([{ text: 'hi' }]))
    })
    await start(executor, parent, record.listener)
    expect(record.of('warning')).toMatchObject([
      { code: 'tool_name_conflict', message: 'renamed', runId: 'root', agent: 'Parent', depth: 0, seq: 2 },
    ])
  })

  it('createInProcessExecutor runs a definition that differs from the catalogue if it is passed one', async () => {
    const executor = executorWith(async (definition) => prepared(definition, scriptedModel([{ text: 'hi' }])))
    const other = defineAgent({ name: 'Other', instruction: 'Hi.', output: { format: 'markdown' } })
    const log = createDiscardingLog()
    const root = createRunTreeContext({ log, executor, limits: other.limits })
    const result = await executor.run(
      other,
      {
        runId: 'r',
        rootRunId: 'r',
        agent: { name: 'Other', digest: other.digest },
        instance: 'Other',
        input: '',
        ancestry: [],
        sessionId: 'r',
        principal: 'local',
      },
      {
        root,
        control: {
          signal: new AbortController().signal,
          deadline: undefined,
          account: createAccount(),
        },
      },
    )
    expect(result).toMatchObject({ agent: 'Other', outcome: 'completed', text: 'hi' })
  })
})
