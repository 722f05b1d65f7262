import type { MaybePromise } from '@troupe/schema'
import type { Context } from 'hono'
import type { Caller } from './caller.ts'

/** hono's context of a request, with its caller. */
export type HandlerContext = Context<{ readonly Bindings: { readonly caller: Caller } }>

/** A handler of the requests for one path. */
export type Handler = (context: HandlerContext) => MaybePromise<Response>
