import {
  toFailure,
  troupeError,
  type AgentTool,
  type JsonObject,
  type ModelChoice,
  type RunReport,
} from '@troupe/schema'
import { createValidator, schemaProblem } from '@troupe/tools'
import type { z } from 'zod'
import { errorResponse } from '../error-response.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { readJson, type Read } from '../read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import { routes, type CallContext, type Handler } from '../routes.ts'
import { modelProblem } from '../runs/model-problem.ts'
import type { RunDesk } from '../desk/run-desk.ts'
import { servedAgent } from '../served-agent.ts'
import { filledPrompt, unknownPlaceholders } from './filled-prompt.ts'
import type { ToolShelf } from './tool-shelf.ts'
import { toolOperations } from './tool-operations.ts'
import { argumentsWish, toolWish, trialWish, type ArgumentsWish } from './tool-wish.ts'

/** What the tools of agents are edited with. */
export interface ToolsHeadendOptions {
  readonly shelf: ToolShelf
  readonly desk: Pick<RunDesk, 'start'>
  /** The models that a trial may ask in place of those of its agents. */
  models(): readonly ModelChoice[]
}

/** Exported tools as people edit and try them (`/api/agents/:agent/tools`), and the card of an agent as a template. */
export function createToolsHeadend(
  context: HeadendContext,
  { shelf, desk, models }: ToolsHeadendOptions,
): Headend {
  const validate = createValidator()
  const change =
    (isNew: boolean): Handler =>
    async (call) => {
      const { agent, tool: name, principal } = placeOf(call)
      const { tool, version } = opened(await readJson(call.req.raw, toolWish))
      checkTool(tool)
      const view = await shelf.change({ agent, tool, version, ...(isNew ? {} : { name }) }, principal)
      return Response.json(view, { status: isNew ? 201 : 200 })
    }

  async function readTool<Wish extends ArgumentsWish>(
    call: CallContext,
    shape: z.ZodType<Wish>,
  ): Promise<{ readonly tool: AgentTool; readonly wish: Wish }> {
    const { agent, tool: name, principal } = placeOf(call)
    const { tools } = await shelf.read(agent, principal)
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined)
      throw troupeError('tool_unknown', `${agent} offers no tool ${name.slice(0, 100)}.`)
    return { tool, wish: opened(await readJson(call.req.raw, shape)) }
  }

  const table: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    '/api/agents/:agent/template': {
      GET: async (call) => Response.json({ template: await shelf.template(placeOf(call).agent) }),
    },
    '/api/agents/:agent/tools': {
      GET: async (call) => {
        const { agent, principal } = placeOf(call)
        return Response.json(await shelf.read(agent, principal))
      },
      POST: change(true),
    },
    '/api/agents/:agent/tools/:tool': {
      PUT: change(false),
      DELETE: async (call) => {
        const { agent, tool: name, principal } = placeOf(call)
        return Response.json(
          await shelf.change({ agent, name, version: call.req.query('version') }, principal),
        )
      },
    },
    '/api/agents/:agent/tools/:tool/preview': {
      POST: async (call) => {
        const { tool, wish } = await readTool(call, argumentsWish)
        return Response.json(filledPrompt(tool, wish.args, { validate, mode: 'preview' }))
      },
    },
    '/api/agents/:agent/tools/:tool/test': {
      POST: async (call) => {
        const { tool, wish } = await readTool(call, trialWish)
        const { args, model } = wish
        const refused = modelProblem(model, models())
        if (refused !== undefined) return errorResponse(refused)
        const { prompt, problems } = filledPrompt(tool, args, { validate, mode: 'run' })
        if (problems.length > 0)
          throw troupeError(
            'request_invalid',
            `The arguments do not fit ${tool.name}: ${problems.join('; ')}`,
          )
        const { agent, principal } = placeOf(call)
        // as a client over MCP would have it: nobody is asked (D26)
        const options = {
          headless: true,
          note: { test: tool.name },
          ...(model === undefined ? {} : { model }),
        }
        const started = await desk.start({ agent, input: prompt, principal, options })
        return startedTest(started, prompt)
      },
    },
  }

  /** The agents that are not served have no tools for anybody. */
  const told =
    (handler: Handler): Handler =>
    async (call) => {
      const agent = servedAgent(context.runner, placeOf(call).agent)
      if (isFailure(agent)) return errorResponse(agent)
      try {
        return await handler(call)
      } catch (thrown) {
        return errorResponse(toFailure(thrown))
      }
    }

  return {
    name: 'tools',
    operations: toolOperations,
    ...routes(
      Object.fromEntries(
        Object.entries(table).map(([path, methods]) => [
          path,
          Object.fromEntries(Object.entries(methods).map(([method, handler]) => [method, told(handler)])),
        ]),
      ),
      context,
    ),
  }
}

function startedTest(started: Awaited<ReturnType<RunDesk['start']>>, prompt: string): Response {
  if (isReport(started)) return reportEnvelope(started)
  return Response.json({ ...started, prompt }, { status: 202 })
}

function isReport(started: object): started is RunReport {
  return 'outcome' in started
}

/** Refuses a tool that no client could call, before anything is written. */
function checkTool(tool: AgentTool): void {
  const problem = schemaProblem(tool.parameters as unknown as JsonObject)
  if (problem !== undefined) throw troupeError('tool_schema_invalid', `parameters: ${problem}`)
  const [unknown] = unknownPlaceholders(tool)
  if (unknown !== undefined)
    throw troupeError('template_unknown_placeholder', `The prompt has ${unknown}, which names nothing.`)
}

function placeOf({ req, env }: CallContext): {
  readonly agent: string
  readonly tool: string
  readonly principal: string
} {
  return { agent: req.param('agent') ?? '', tool: req.param('tool') ?? '', principal: env.caller.principal }
}

/** What was read; throws what was wrong with it. */
function opened<T>(read: Read<T>): T {
  if (read.ok) return read.value
  const { code, message, remediation } = read.reason
  throw troupeError(code, message, { fix: remediation })
}
