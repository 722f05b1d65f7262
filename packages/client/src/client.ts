import type { ChangeOptions, ReceivedChange } from './follow-changes.ts'
import type { FollowOptions } from './follow-run.ts'
import type {
  AgentList,
  AgentProblem,
  CardRevision,
  CardSource,
  Json,
  TeamStats,
  ApprovalDecision,
  ApprovalLink,
  ApprovalList,
  DecisionPage,
  EvalReport,
  EvalReportList,
  EvalRunEvents,
  EventPage,
  LinkedApproval,
  ModelList,
  PushState,
  PushSubscriptionState,
  Run,
  RunEvent,
  RunPage,
  RunPrompts,
  RunReport,
  ScheduleFiring,
  ScheduleList,
  ScheduleState,
  Session,
  SessionPage,
  StartedRun,
  StartedTrial,
  ToolList,
  ToolPrompt,
  WriteTarget,
} from './openapi.generated.ts'
import type { BodyOf, QueryOf, RequestOptions } from './transport.ts'

/** Options of a run: its format, limits, model and conversation. */
export interface StartRunOptions extends Omit<BodyOf<'startRun'>, 'agent' | 'q' | 'input'>, RequestOptions {
  /** Makes it safe to repeat the request: the server starts one run for each key. */
  readonly idempotencyKey?: string | undefined
}

/** The message for an agent, or its input object. */
export type RunInput = NonNullable<BodyOf<'startRun'>['input']>

/** Filters and position of a list of runs. */
export type RunListOptions = QueryOf<'listRuns'> & RequestOptions

/**
 * A client of one server. Methods reject with {@link ApiError} if a request fails, and with the reason of
 * `signal` if it aborts.
 */
export interface TroupeClient {
  /**
   * Runs an agent and returns the report of the run, whatever its outcome. Cancels the run if `signal` aborts.
   * Rejects if the run cannot start.
   */
  run(agent: string, input: RunInput, options?: StartRunOptions): Promise<RunReport>
  /**
   * Runs an agent and yields the events of its run tree. Reconnects without losing an event that has a `seq`.
   * Cancels the run if `signal` aborts, or if the caller leaves the loop before the run has ended.
   */
  stream(
    agent: string,
    input: RunInput,
    options?: StartRunOptions & Pick<FollowOptions, 'onConnection'>,
  ): AsyncGenerator<RunEvent, void, undefined>
  /**
   * Starts a run that continues without the client. Returns the report instead if the run has already ended and
   * is not stored.
   */
  start(agent: string, input: RunInput, options?: StartRunOptions): Promise<StartedRun | RunReport>
  /**
   * Yields the events of a run from a position to its end, and reconnects like `stream`. The run continues if the
   * caller leaves the loop.
   */
  resume(runId: string, options?: FollowOptions): AsyncGenerator<RunEvent, void, undefined>
  /**
   * Yields what changes in the lists of the server, and the events of the given runs, without an end. After `reset`,
   * changes may be missing and the caller has to load everything again. Reconnects like `stream`.
   */
  changes(options?: ChangeOptions): AsyncGenerator<ReceivedChange, void, undefined>
  /** Cancels a run and all its child runs for good. Returns it when it has ended. */
  cancel(runId: string, options?: RequestOptions): Promise<Run>
  /** Lets a page of the server sign in: stores a token in a cookie that scripts cannot read. */
  signIn(token: string, options?: RequestOptions): Promise<void>
  /** Stored runs: read, list, cancel, fork and label them. */
  readonly runs: {
    /** Returns a page of runs that match all filters, the newest first. */
    list(options?: RunListOptions): Promise<RunPage>
    /** Returns a run with its result. */
    get(runId: string, options?: RequestOptions): Promise<Run>
    /** Returns a page of the stored events of a run. It is the last one if it ends with `lastSeq`. */
    events(runId: string, options?: EventPageOptions): Promise<EventPage>
    /** Repeats a run as a new run. */
    retry(runId: string, options?: RequestOptions): Promise<StartedRun | RunReport>
    /** Starts a new run that branches off from a turn of a run. */
    fork(runId: string, fork: BodyOf<'forkRun'>, options?: RequestOptions): Promise<StartedRun | RunReport>
    /** Sets the label of a run, thumbs up or down, and returns the run. */
    label(runId: string, label: BodyOf<'labelRun'>, options?: RequestOptions): Promise<Run>
    /** Removes the label of a run and returns the run. */
    unlabel(runId: string, options?: RequestOptions): Promise<Run>
    /** Returns a run as an HTML file that needs no server. */
    export(runId: string, options?: RequestOptions): Promise<string>
    /** Returns a part of the result of a tool call in its media type: part `part` of the event `seq`. */
    content(
      runId: string,
      ref: { readonly seq: number; readonly part: number },
      options?: RequestOptions,
    ): Promise<Response>
    /** Returns the prompts of the agents of a run. Operators only. */
    prompts(runId: string, options?: RequestOptions): Promise<RunPrompts>
  }
  /** Calls that wait for a person. */
  readonly approvals: {
    /** Returns the open approvals and questions that the caller may answer, the oldest first. */
    list(options?: Pick<ApprovalListOptions, 'principal'> & RequestOptions): Promise<ApprovalList>
    /**
     * Returns a page of the decisions on approvals and questions, the newest first. Send `next` as `before` for
     * the next page.
     */
    decisions(options?: Omit<ApprovalListOptions, 'state'> & RequestOptions): Promise<DecisionPage>
    /** Decides on a call that waits for approval, or answers a question. The run then continues. */
    decide(
      approval: ApprovalRef,
      decision: BodyOf<'decide'>,
      options?: RequestOptions,
    ): Promise<ApprovalDecision>
    /** Reads the file that a call would write; `undefined` for calls that write none. */
    target(approval: ApprovalRef, options?: RequestOptions): Promise<WriteTarget | undefined>
    /** Creates a link with which its holder decides once on a call. Operators only. */
    createLink(
      approval: ApprovalRef,
      link: BodyOf<'createLink'>,
      options?: RequestOptions,
    ): Promise<ApprovalLink>
    /** Returns the call that a link decides. Needs no token of the server. */
    openLink(token: string, options?: RequestOptions): Promise<LinkedApproval>
    /** Decides with a link. Needs no token of the server. */
    decideByLink(
      body: BodyOf<'decideByLink'>,
      options?: RequestOptions,
    ): Promise<Pick<ApprovalDecision, 'decision'>>
  }
  /** Notifications to a browser about the approvals of the caller. */
  readonly push: {
    /** Returns the key with which a browser subscribes; none if the server sends no notifications. */
    read(options?: RequestOptions): Promise<PushState>
    subscribe(subscription: BodyOf<'subscribePush'>, options?: RequestOptions): Promise<PushSubscriptionState>
    unsubscribe(body: BodyOf<'unsubscribePush'>, options?: RequestOptions): Promise<PushSubscriptionState>
  }
  /** Conversations. */
  readonly sessions: {
    /**
     * Returns a page of your conversations, the one with the newest run first. Send `next` as `before` for the next
     * page. A conversation whose runs are on several pages may be on each of them.
     */
    list(options?: QueryOf<'listSessions'> & RequestOptions): Promise<SessionPage>
    /** Returns a conversation with its branches. */
    get(sessionId: string, options?: RequestOptions): Promise<Session>
    /** Renames, archives or restores a conversation. */
    change(sessionId: string, change: BodyOf<'changeSession'>, options?: RequestOptions): Promise<Session>
    /** Deletes a conversation with its branches and all of their runs. */
    delete(sessionId: string, options?: RequestOptions): Promise<void>
    /** Returns a page of the runs of a session, the newest first. */
    runs(sessionId: string, options?: Omit<RunListOptions, 'session'>): Promise<RunPage>
  }
  /** The served agents. */
  readonly agents: {
    /** Returns the served agents, the entry agent first. */
    list(options?: RequestOptions): Promise<AgentList>
    /** Returns the front matter of an agent with all keys and values. Operators only. */
    template(agent: string, options?: RequestOptions): Promise<string>
    /** Returns times, costs and failures of the agents in the newest runs. */
    stats(options?: QueryOf<'readAgentStats'> & RequestOptions): Promise<TeamStats>
  }
  /** The cards of agents as texts. Operators only. */
  readonly cards: {
    get(agent: string, options?: RequestOptions): Promise<CardSource>
    /** Returns the JSON Schema of cards. */
    schema(agent: string, options?: RequestOptions): Promise<{ readonly [key: string]: Json }>
    /** Returns the problems of an unsaved text. */
    check(agent: string, text: string, options?: RequestOptions): Promise<readonly AgentProblem[]>
    /** Replaces the text. `version` is that of the card that was read. */
    save(agent: string, card: BodyOf<'saveCard'>, options?: RequestOptions): Promise<CardSource>
    /** Starts a run with the prompt, models and model settings of an unsaved text. */
    test(agent: string, trial: BodyOf<'tryCard'>, options?: RequestOptions): Promise<StartedRun | RunReport>
    /** Returns the earlier versions of a card, the newest first. */
    revisions(agent: string, options?: RequestOptions): Promise<readonly CardRevision[]>
    /** Returns the text of an earlier version. */
    revision(
      ref: { readonly agent: string; readonly revision: string },
      options?: RequestOptions,
    ): Promise<string>
  }
  /** The configured models. */
  readonly models: {
    /** Returns the models that a run may use instead of those of its agents. */
    list(options?: RequestOptions): Promise<ModelList>
  }
  /** The tools that an agent exports. Operators only. */
  readonly tools: {
    list(agent: string, options?: RequestOptions): Promise<ToolList>
    /** Adds a tool to the card. */
    add(agent: string, tool: BodyOf<'addTool'>, options?: RequestOptions): Promise<ToolList>
    /** Replaces the tool of this name. */
    replace(ref: ToolName, tool: BodyOf<'addTool'>, options?: RequestOptions): Promise<ToolList>
    /** Deletes a tool from the card. `version` is that of the card that was read; default: any. */
    delete(ref: ToolName, options?: QueryOf<'deleteTool'> & RequestOptions): Promise<ToolList>
    /** Returns the prompt of a call and the problems of its arguments. */
    preview(ref: ToolName, args: BodyOf<'previewTool'>['args'], options?: RequestOptions): Promise<ToolPrompt>
    /** Calls a tool as an MCP client would, in a run that can be followed. */
    test(
      ref: ToolName,
      trial: BodyOf<'testTool'>,
      options?: RequestOptions,
    ): Promise<StartedTrial | RunReport>
  }
  /** Reports of evaluations. */
  readonly evals: {
    /** Returns the reports of evaluations, newest first; none for all but operators. */
    list(options?: RequestOptions): Promise<EvalReportList>
    /** Returns a report. With `base`, it is compared with that report. Operators only. */
    get(id: string, options?: QueryOf<'readEval'> & RequestOptions): Promise<EvalReport>
    /** Returns the events of a run of a report. Operators only. */
    events(id: string, runId: string, options?: RequestOptions): Promise<EvalRunEvents>
  }
  /** Schedules, and the runs that they have started. */
  readonly schedules: {
    /** Returns the schedules; none for all but operators. */
    list(options?: RequestOptions): Promise<ScheduleList>
    /** Starts a run of a schedule now. Operators only, like the methods below. */
    run(name: string, options?: RequestOptions): Promise<ScheduleFiring>
    pause(name: string, options?: RequestOptions): Promise<ScheduleState>
    /** Resumes a paused schedule. Due times that have passed do not fire. */
    resume(name: string, options?: RequestOptions): Promise<ScheduleState>
  }
}

type ApprovalListOptions = QueryOf<'listApprovals'>

/** Identifies an approval: an entry of `approvals.list()`, or an `approval-request` event with its root run. */
export interface ApprovalRef {
  /** Id of the root run. */
  readonly runId: string
  /** The id of the approval. */
  readonly approvalId: string
}

/** Identifies an exported tool. */
export interface ToolName {
  /** The agent that exports the tool. */
  readonly agent: string
  /** The name of the tool. */
  readonly tool: string
}

/** Position and size of a page of events. */
export interface EventPageOptions extends RequestOptions {
  /** The `seq` after which the page begins. Default: 0. */
  readonly after?: number
  /** Default: 1000. Maximum: 10,000. A page of long events has fewer. */
  readonly limit?: number
}
