import { openApiParts, type Headend } from '@troupe/headends'
import type { JsonObject } from '@troupe/schema'

/** Creates the OpenAPI document from the operations of the server and its headends. */
export function openApiDocument(headends: readonly Headend[], url: string): JsonObject {
  const { paths, schemas } = openApiParts(headends.flatMap(({ operations = [] }) => operations))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Troupe',
      version: '1',
      description:
        'Agents over HTTP. Runs of `/api/runs` go on by themselves; all others end with their connection.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
    paths: { ...SERVER, ...paths },
  }
}

const STATUS = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
}
const jsonResponse = (description: string, schema: JsonObject = STATUS): JsonObject => ({
  description,
  content: { 'application/json': { schema } },
})

/** The server's own operations. */
const SERVER: JsonObject = {
  '/healthz': {
    get: {
      operationId: 'health',
      summary: 'The process answers',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('It does') },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readiness',
      summary: 'There are agents, and the server is not ending',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('It is'), 503: jsonResponse('It is not') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Counters for Prometheus',
      tags: ['Server'],
      responses: {
        200: { description: 'The counters', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
}
