import type { MaybePromise } from '@troupe/schema'
import type { Context, Hono } from 'hono'
import type { Caller } from './caller.ts'

/** hono's environment of a headend: the server sets the caller. */
export interface HeadendEnv {
  readonly Bindings: { readonly caller: Caller }
}

/** The routes of a headend. */
export type HeadendApp = Hono<HeadendEnv>

/** hono's context of a request, with its caller. */
export type HandlerContext = Context<HeadendEnv>

/** A handler of the requests for one path. */
export type Handler = (context: HandlerContext) => MaybePromise<Response>
