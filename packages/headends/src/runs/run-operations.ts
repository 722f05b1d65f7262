import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS, type OperationParts } from '../openapi/operation.ts'
import {
  agentShape,
  approvalListShape,
  eventShape,
  modelChoiceShape,
  reportShape,
  runPageShape,
  viewShape,
} from '../openapi/shapes.ts'
import { runListQuery } from './list-handler.ts'
import { decisionBody, forkBody, startRunBody } from './run-bodies.ts'

const TAG = 'Run control'
const number = z.string().regex(/^\d+$/u)
const started = z.object({ runId: z.string(), state: z.enum(['running', 'queued']) })
const prompts = z.object({ prompts: z.array(z.object({ agent: z.string(), prompt: z.string() })) })
const events = z.object({ events: z.array(eventShape), lastSeq: z.number().int() })

/** Returns the OpenAPI operations of run control. */
export function runOperations(): OperationTable {
  const startAnswers: OperationParts['answers'] = {
    200: { description: 'It ended before anything of it was kept', content: json(reportShape) },
    202: { description: 'It goes on by itself', content: json(started) },
  }
  const view: OperationParts['answers'] = { 200: { description: 'The run', content: json(viewShape) } }
  const ofRun = (parts: Omit<OperationParts, 'tag' | 'path'>): ReturnType<typeof operation> =>
    operation({ ...parts, tag: TAG, path: ['id'], errors: [404, 409, ...(parts.errors ?? [])] })
  return {
    '/api/agents': {
      get: operation({
        id: 'listAgents',
        summary: 'The served agents, the entry first',
        tag: TAG,
        answers: {
          200: { description: 'The agents', content: json(z.object({ agents: z.array(agentShape) })) },
        },
      }),
    },
    '/api/models': {
      get: operation({
        id: 'listModelChoices',
        summary: 'The models that a run may ask in place of those of its agents',
        tag: TAG,
        answers: {
          200: {
            description: 'The models',
            content: json(z.object({ models: z.array(modelChoiceShape) })),
          },
        },
      }),
    },
    '/api/runs': {
      get: operation({
        id: 'listRuns',
        summary: 'The runs of the caller that meet all filters, the last begun first',
        tag: TAG,
        query: runListQuery,
        answers: { 200: { description: 'A page of runs', content: json(runPageShape) } },
      }),
      post: operation({
        id: 'startRun',
        summary: 'Starts a run that belongs to no connection',
        tag: TAG,
        body: startRunBody,
        answers: startAnswers,
        errors: RUN_ERRORS,
      }),
    },
    '/api/approvals': {
      get: operation({
        id: 'listApprovals',
        summary: 'Every open approval and question that the caller may answer, the longest open first',
        tag: TAG,
        answers: { 200: { description: 'The approvals', content: json(approvalListShape) } },
      }),
    },
    '/api/runs/{id}': { get: ofRun({ id: 'readRun', summary: 'One run', answers: view }) },
    '/api/runs/{id}/events': {
      get: ofRun({
        id: 'followRun',
        summary: 'The events of a run, to its end; Last-Event-ID goes on behind that one',
        query: z.object({ after: number.optional(), limit: number.optional() }),
        answers: {
          200: {
            description: 'A stream, or a page for who wants JSON',
            content: { 'text/event-stream': 'text', 'application/json': events },
          },
          204: { description: 'The run has ended and the client has all of it' },
        },
      }),
    },
    '/api/runs/{id}/stop': { post: ofRun({ id: 'stopRun', summary: 'Ends a run for good', answers: view }) },
    '/api/runs/{id}/retry': {
      post: ofRun({
        id: 'retryRun',
        summary: 'The same again, as a new run',
        answers: startAnswers,
        errors: RUN_ERRORS,
      }),
    },
    '/api/runs/{id}/fork': {
      post: ofRun({
        id: 'forkRun',
        summary: 'Goes on from a turn as a new run; what came before is not paid again',
        body: forkBody,
        answers: startAnswers,
        errors: [403, ...RUN_ERRORS],
      }),
    },
    '/api/runs/{id}/prompts': {
      get: ofRun({
        id: 'readPrompts',
        summary: 'The prompts of the agents of a run, for who may edit cards',
        answers: { 200: { description: 'The prompts', content: json(prompts) } },
        errors: [403],
      }),
    },
    '/api/runs/{id}/approvals/{approvalId}': {
      post: operation({
        id: 'decide',
        summary: 'Decides on a call that waits',
        tag: TAG,
        path: ['id', 'approvalId'],
        body: decisionBody,
        answers: {
          200: {
            description: 'The decision',
            content: json(
              z.object({
                runId: z.string(),
                approvalId: z.string(),
                decision: z.enum(['approved', 'denied']),
              }),
            ),
          },
        },
        errors: [404, 409],
      }),
    },
  }
}

function json(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  return { 'application/json': schema }
}
