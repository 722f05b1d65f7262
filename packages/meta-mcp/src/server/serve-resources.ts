import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplateType,
  type Server,
} from '@modelcontextprotocol/server'
import type { MaybePromise } from '@troupe/schema'

/** Resources that one caller may read. */
export interface ResourceSource {
  readonly templates: readonly ResourceTemplateType[]
  /** Returns a page of resources. Rejects with a protocol error for an unknown cursor. */
  list(cursor: string | undefined): Promise<ListResourcesResult>
  /** Returns the content of a resource; `undefined` if the caller has no such resource. */
  read(uri: string): Promise<ReadResourceResult['contents'] | undefined>
}

/** Capabilities of a server with resources. */
export const RESOURCE_CAPABILITIES = { resources: {} } as const

/**
 * Answers requests for resources. `openSource` is called for each request, so that it may load the source on demand.
 * The server must have the `RESOURCE_CAPABILITIES`.
 */
export function serveResources(server: Server, openSource: () => MaybePromise<ResourceSource>): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const source = await openSource()
    return source.list(params?.cursor)
  })
  server.setRequestHandler('resources/templates/list', async () => {
    const { templates } = await openSource()
    return { resourceTemplates: [...templates] }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const source = await openSource()
    const contents = await source.read(uri)
    if (contents === undefined) throw new ResourceNotFoundError(uri)
    return { contents }
  })
}
