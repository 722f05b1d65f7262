import type { MaybePromise } from '@troupe/schema'
import type { Context } from 'hono'
import type { Caller } from './caller.ts'

/** What a handler is given: hono's context, with the caller in it. */
export type CallContext = Context<{ readonly Bindings: { readonly caller: Caller } }>

/** Answers requests for one path. */
export type Handler = (context: CallContext) => MaybePromise<Response>
