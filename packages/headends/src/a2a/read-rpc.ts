import { z } from 'zod'
import { checkShape, readJson } from '../read-json.ts'
import { a2aError, a2aParseError, invalidRequest } from './a2a-error.ts'

/** A JSON-RPC request. */
export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly id?: string | number | null | undefined
  readonly [key: string]: unknown
}

const anyObject = z.record(z.string(), z.unknown())
const id = z.union([z.string(), z.number().int(), z.null()])
const rpcRequest: z.ZodType<RpcRequest> = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string().min(1),
  id: id.optional(),
})

/** Reads a JSON-RPC request, or returns the error response. */
export async function readRpc(
  request: Request,
): Promise<
  { readonly ok: true; readonly value: RpcRequest } | { readonly ok: false; readonly answer: Response }
> {
  const json = await readJson(request, z.unknown())
  if (!json.ok) {
    const { reason } = json
    return { ok: false, answer: reason.code === 'request_invalid' ? a2aParseError(reason) : a2aError(reason) }
  }
  const object = checkShape(json.value, anyObject)
  if (!object.ok) return { ok: false, answer: a2aError(object.reason) }
  const read = checkShape(object.value, rpcRequest)
  if (read.ok) return read
  const given = id.safeParse(object.value['id'])
  return { ok: false, answer: invalidRequest(read.reason.message, given.success ? given.data : null) }
}
