import { troupeError, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import type { Handler, HandlerContext } from '../headend/headend.ts'
import { requireJson, jsonObject } from '../request/read-json.ts'
import { agentProblemShape } from '../routes/agent-shapes.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { jsonAnswer, startedAnswers, type Routes } from '../routes/routes.ts'
import { jsonObjectShape } from '../routes/shapes.ts'
import { startedRunShape } from '../runs/create-runs-headend.ts'
import { startedResponse } from '../runs/run-handlers.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { CardSave, CardRepository, CardRevision, CardSource } from './card-repository.ts'

/** Maximum number of characters of a card in a request. Larger cards are not read from files either. */
const MAX_CARD_LENGTH = 1024 * 1024

const cardText = z.string().max(MAX_CARD_LENGTH).meta({ description: 'The whole text of the card.' })

const cardShape: z.ZodType<CardSource> = z
  .object({
    agent: z.string(),
    file: z.string().meta({ description: 'The file or URL of the card.' }),
    format: z.string().exactOptional().meta({ description: 'The card format, such as `troupe`.' }),
    prompt: z.string().meta({ description: 'The prompt of the agent as it runs.' }),
    text: z.string().exactOptional().meta({ description: 'The text of the file.' }),
    readOnly: z
      .string()
      .exactOptional()
      .meta({ description: 'Why the card cannot be edited; not set if it can.' }),
    version: z.string().exactOptional().meta({ description: 'The version of the text.' }),
  })
  .meta({ id: 'CardSource' })

const revisionShape: z.ZodType<CardRevision> = z
  .object({
    id: z.string(),
    time: z.number().meta({ description: 'When it was written, in ms since 1970.' }),
    subject: z.string().exactOptional(),
    author: z.string().exactOptional(),
  })
  .meta({ id: 'CardRevision' })

/** Schema of the body of `POST …/card/check`. */
const checkBody: z.ZodType<{ readonly text: string }> = z
  .strictObject({ text: cardText })
  .meta({ id: 'CardCheckBody' })

/** Schema of the body of `PUT …/card`. */
const cardBody: z.ZodType<CardSave> = z
  .strictObject({
    text: cardText,
    version: z.string().meta({ description: 'The version of the card that was read.' }),
  })
  .meta({ id: 'CardBody' })

/** Body of a request that tries an unsaved card. */
export interface CardTrialBody {
  readonly text: string
  readonly runId?: string | undefined
  readonly input?: string | JsonObject | undefined
}

const cardTrialBody: z.ZodType<CardTrialBody> = z
  .strictObject({
    text: cardText,
    runId: z.string().optional().meta({ description: 'A run of the agent whose input is repeated.' }),
    input: z
      .union([z.string(), jsonObject])
      .optional()
      .meta({ description: 'Replaces `runId`: the message, or the input object of the agent.' }),
  })
  .meta({ id: 'CardTrialBody' })

/** Dependencies of the routes for cards. */
export interface CardRoutesOptions {
  readonly cards: CardRepository
  readonly runService: Pick<RunService, 'start' | 'retry' | 'view' | 'ownerOf'>
  /** Restricts a handler to operators and served agents. */
  served(handler: Handler): Handler
}

/** Returns the routes for reading, checking, saving and trying the card of an agent (`/api/agents/:agent/card`). */
export function cardRoutes({ cards, runService, served }: CardRoutesOptions): Routes {
  const card = jsonAnswer('The card', cardShape)
  return {
    '/api/agents/:agent/card': {
      GET: {
        id: 'readCard',
        summary: 'Get the card of an agent as a text',
        answers: { 200: card },
        errors: [404, 409],
        handler: served(async (call) => Response.json(await cards.read(agentOf(call)))),
      },
      PUT: {
        id: 'saveCard',
        summary: 'Replace the text of a card and reload the team',
        body: cardBody,
        answers: { 200: card },
        errors: [404, 409],
        handler: served(async (call) =>
          Response.json(await cards.save(agentOf(call), await requireJson(call.req.raw, cardBody))),
        ),
      },
    },
    '/api/agents/:agent/card/schema': {
      GET: {
        id: 'readCardSchema',
        summary: 'Get the JSON Schema of cards',
        answers: { 200: jsonAnswer('The schema', jsonObjectShape) },
        errors: [404],
        handler: served(() => Response.json(cards.schema())),
      },
    },
    '/api/agents/:agent/card/check': {
      POST: {
        id: 'checkCard',
        summary: 'Check an unsaved text of a card, as `troupe check` does',
        body: checkBody,
        answers: {
          200: jsonAnswer('The problems', z.object({ problems: z.array(agentProblemShape) })),
        },
        errors: [404, 409],
        handler: served(async (call) => {
          const { text } = await requireJson(call.req.raw, checkBody)
          return Response.json({ problems: await cards.check(agentOf(call), text) })
        }),
      },
    },
    '/api/agents/:agent/card/try': {
      POST: {
        id: 'tryCard',
        summary: 'Run the agent with the prompt, models and model settings of an unsaved text',
        body: cardTrialBody,
        answers: startedAnswers(startedRunShape),
        errors: RUN_ERRORS,
        handler: served(tryHandler({ cards, runService })),
      },
    },
    '/api/agents/:agent/card/revisions': {
      GET: {
        id: 'listCardRevisions',
        summary: 'List the earlier versions of a card, newest first',
        answers: { 200: jsonAnswer('The versions', z.object({ revisions: z.array(revisionShape) })) },
        errors: [404, 409],
        handler: served(async (call) => Response.json({ revisions: await cards.revisions(agentOf(call)) })),
      },
    },
    '/api/agents/:agent/card/revisions/:revision': {
      GET: {
        id: 'readCardRevision',
        summary: 'Get the text of an earlier version of a card',
        answers: { 200: jsonAnswer('The text', z.object({ text: z.string() })) },
        errors: [404, 409],
        handler: served(async (call) =>
          Response.json({ text: await cards.revision(agentOf(call), call.req.param('revision') ?? '') }),
        ),
      },
    },
  }
}

function agentOf({ req }: HandlerContext): string {
  return req.param('agent') ?? ''
}

/** Handles `POST …/card/try`: starts a run that is marked as a trial and has no person who could approve calls. */
function tryHandler({ cards, runService }: Pick<CardRoutesOptions, 'cards' | 'runService'>): Handler {
  return async (call) => {
    const agent = agentOf(call)
    const { text, runId, input } = await requireJson(call.req.raw, cardTrialBody)
    if ((runId === undefined) === (input === undefined))
      throw troupeError('request_invalid', 'runId, input: send exactly one of the two.')
    const { principal } = call.env.caller
    const options = { overrides: await cards.overrides(agent, text), headless: true, note: { trial: true } }
    if (runId === undefined)
      return startedResponse(await runService.start({ agent, input: input ?? '', principal, options }))
    const owner = (await runService.ownerOf(runId)) ?? principal
    const run = await runService.view(runId, owner)
    if (run.agent !== agent)
      throw troupeError('request_invalid', `runId: the run ${runId.slice(0, 100)} is not a run of ${agent}.`)
    return startedResponse(await runService.retry(runId, owner, options))
  }
}
