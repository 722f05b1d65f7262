import { failure, type ContentPart, type RunEvent } from '@troupe/schema'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Handler } from '../headend/headend.ts'
import { errorResponse } from '../headend/errors.ts'
import type { RunService } from '../run-service/run-service.ts'
import { runRefOf } from './run-handlers.ts'

/** Policy of content: no scripts, forms or requests, and only pages of the server may show it in a frame. */
const POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/** Media types that a browser shows. Others are saved as files. */
const SHOWN = /^(?:text\/(?:html|plain|csv|markdown)|image\/(?:png|jpeg|gif|webp|avif|svg\+xml))$/u

/** Handles `GET /api/runs/:id/content/:seq/:part`: returns a part of the result in the event `seq`. */
export function contentHandler({
  runService,
  feeds,
}: {
  readonly runService: Pick<RunService, 'readState' | 'ownerOf'>
  readonly feeds: Pick<EventFeeds, 'page'>
}): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    await runService.readState(runId, principal)
    const seq = readNumber(call.req.param('seq'))
    const [text] = await feeds.page(runId, { after: seq - 1, limit: 1 })
    const event = text === undefined ? undefined : (JSON.parse(text) as RunEvent)
    const index = readNumber(call.req.param('part'))
    const part = event?.type === 'tool-result' && event.seq === seq ? event.content[index] : undefined
    if (part === undefined)
      return errorResponse(failure('route_unknown', `Event ${seq} of the run has no content part ${index}.`))
    return contentResponse(part)
  }
}

/** Parses a whole number. Returns -1 for anything else, which no event and no part has. */
function readNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/u.test(text) ? Number(text) : -1
}

function contentResponse(part: ContentPart): Response {
  const mediaType = typeOf(part)
  const bytes = Buffer.from(
    part.type === 'text' ? part.text : part.base64,
    part.type === 'text' ? 'utf8' : 'base64',
  )
  const body = mediaType === 'text/html' ? Buffer.from(withoutLinks(bytes.toString('utf8'))) : bytes
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      'content-disposition': SHOWN.test(mediaType) ? 'inline' : 'attachment',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  })
}

function typeOf({ type, mediaType }: ContentPart): string {
  const [named = ''] = (mediaType ?? 'text/plain').split(';')
  const name = named.trim().toLowerCase()
  if (/^[a-z\d][a-z\d.+-]{0,60}\/[a-z\d][a-z\d.+-]{0,60}$/u.test(name)) return name
  return type === 'text' ? 'text/plain' : 'application/octet-stream'
}

/**
 * Renames `link` elements. A browser may look up or connect to the host of one whatever the policy, and a model
 * could put data into the name of that host.
 */
function withoutLinks(html: string): string {
  return html.replaceAll(/<link(?=[\s/>])/giu, '<x-link')
}
