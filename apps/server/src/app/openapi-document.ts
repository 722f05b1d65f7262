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
        'Agents over HTTP. Runs started with `/api/runs` continue without a connection; all others end when their connection closes.',
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
      summary: 'Check that the process responds',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('The process responds') },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readiness',
      summary: 'Check that agents are loaded and the server is not shutting down',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('The server is ready'), 503: jsonResponse('The server is not ready') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Get metrics in the Prometheus format',
      tags: ['Server'],
      responses: {
        200: { description: 'The metrics', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
}
