/**
 * Types of the HTTP API, generated from the OpenAPI document of the server by openapi-typescript. Update them with
 * `vitest run --project server client-types -u`.
 */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | {
    readonly [key: string]: JsonValue;
};
export interface paths {
    readonly "/api/agents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the served agents, the entry agent first */
        readonly get: operations["listAgents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get times, costs and failures of the agents in the newest 500 runs */
        readonly get: operations["readAgentStats"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/models": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the models that a run may use instead of those of its agents */
        readonly get: operations["listModelChoices"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List runs that match all filters, newest first */
        readonly get: operations["listRuns"];
        readonly put?: never;
        /** Start a run that does not depend on a connection */
        readonly post: operations["startRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/changes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Stream what changes in the lists of runs, approvals, agents and schedules; `Last-Event-ID` continues after that change */
        readonly get: operations["followChanges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List your conversations, the one with the newest run first */
        readonly get: operations["listSessions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/sessions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get a conversation with its branches */
        readonly get: operations["readSession"];
        readonly put?: never;
        readonly post?: never;
        /** Delete a conversation with its branches and all of their runs */
        readonly delete: operations["deleteSession"];
        readonly options?: never;
        readonly head?: never;
        /** Rename, archive or restore a conversation */
        readonly patch: operations["changeSession"];
        readonly trace?: never;
    };
    readonly "/api/approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the open approvals and questions, oldest first, or the decisions, newest first */
        readonly get: operations["listApprovals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get a run */
        readonly get: operations["readRun"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Stream the events of a run until it ends; `Last-Event-ID` continues after that event */
        readonly get: operations["followRun"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/content/{seq}/{part}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get a part of a tool result, such as an image or a page */
        readonly get: operations["readContent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/stop": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Stop a run permanently */
        readonly post: operations["stopRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Repeat a run as a new run */
        readonly post: operations["retryRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/fork": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Fork a run at a turn; earlier turns are copied at no cost */
        readonly post: operations["forkRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/label": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Label a run with thumbs up or down */
        readonly put: operations["labelRun"];
        readonly post?: never;
        /** Remove the label of a run */
        readonly delete: operations["unlabelRun"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Download a run as one HTML file that needs no server */
        readonly get: operations["exportRun"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/prompts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the prompts of a run; operators only */
        readonly get: operations["readPrompts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/approvals/{approvalId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Decide on a call that is waiting for approval */
        readonly post: operations["decide"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/approvals/{approvalId}/target": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the current content of the file that a waiting call would write */
        readonly get: operations["readWriteTarget"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/runs/{id}/approvals/{approvalId}/link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Create a link that lets another person decide once on a call; operators only */
        readonly post: operations["createLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/links/open": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Get the call that a link decides */
        readonly post: operations["openLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/links/decide": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Decide with a link, which can be used once */
        readonly post: operations["decideByLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/push": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the key with which a browser subscribes to notifications */
        readonly get: operations["readPush"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/push/subscription": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Notify a browser when an approval of the caller opens */
        readonly put: operations["subscribePush"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/push/unsubscribe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Stop notifying a browser */
        readonly post: operations["unsubscribePush"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the card of an agent as a text */
        readonly get: operations["readCard"];
        /** Replace the text of a card and reload the team */
        readonly put: operations["saveCard"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card/schema": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the JSON Schema of cards */
        readonly get: operations["readCardSchema"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Check an unsaved text of a card, as `troupe check` does */
        readonly post: operations["checkCard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card/try": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Run the agent with the prompt, models and model settings of an unsaved text */
        readonly post: operations["tryCard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card/revisions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the earlier versions of a card, newest first */
        readonly get: operations["listCardRevisions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/card/revisions/{revision}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the text of an earlier version of a card */
        readonly get: operations["readCardRevision"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/template": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the front matter of an agent with all keys and values as a template */
        readonly get: operations["readTemplate"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/tools": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the tools that an agent exports */
        readonly get: operations["listTools"];
        readonly put?: never;
        /** Add a tool to the card of an agent */
        readonly post: operations["addTool"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/tools/{tool}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Replace a tool */
        readonly put: operations["replaceTool"];
        readonly post?: never;
        /** Delete a tool from the card */
        readonly delete: operations["deleteTool"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/tools/{tool}/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Preview the prompt of a call and the problems of its arguments */
        readonly post: operations["previewTool"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/agents/{agent}/tools/{tool}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Call a tool in a run that can be watched */
        readonly post: operations["testTool"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the schedules; empty for all but operators */
        readonly get: operations["listSchedules"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{name}/run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Start a run of a schedule now */
        readonly post: operations["runSchedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{name}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Pause a schedule on all servers of the store */
        readonly post: operations["pauseSchedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/schedules/{name}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Resume a paused schedule; due times that have passed do not fire */
        readonly post: operations["resumeSchedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/evals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the reports of evaluations, newest first; empty for all but operators */
        readonly get: operations["listEvals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/evals/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get a report, compared with its base or with another report; operators only */
        readonly get: operations["readEval"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/evals/{id}/runs/{runId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Get the events of a run of a report; operators only */
        readonly get: operations["readEvalRun"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Failure: {
            /** @enum {string} */
            readonly class: "config" | "auth" | "timeout" | "network" | "model" | "budget" | "depth" | "limit" | "permission" | "tool" | "store" | "cancelled" | "internal";
            readonly code: components["schemas"]["ErrorCode"];
            readonly message: string;
            readonly remediation: string;
            /** @description When another attempt may succeed, in ms since 1970. */
            readonly retryAt?: number;
        };
        /** @enum {string} */
        readonly ErrorCode: "card_unknown_key" | "card_alias_conflict" | "card_bad_value" | "card_bad_yaml" | "card_syntax" | "card_edit_refused" | "card_too_large" | "card_unreadable" | "card_no_instruction" | "card_no_description" | "card_two_instructions" | "card_unknown_dialect" | "card_format_assumed" | "card_key_ignored" | "card_unsupported" | "card_include" | "card_duplicate_name" | "card_changed" | "remote_card_forbidden" | "agent_unknown" | "agent_ambiguous" | "composition_incomplete" | "input_invalid" | "exports_no_tools" | "export_need_unmet" | "template_unknown_placeholder" | "missing_schema" | "invalid_schema" | "skill_invalid" | "config_invalid" | "schedule_invalid" | "schedule_unknown" | "permission_rule_widened" | "permission_rule_bypassed" | "key_without_effect" | "duration_unit" | "watch_failed" | "usage_invalid" | "env_missing" | "model_unknown" | "model_unset" | "model_unpriced" | "model_script_invalid" | "test_file_invalid" | "tool_name_conflict" | "tool_too_many" | "tool_schema_refused" | "tool_schema_simplified" | "data_flow_mixed" | "name_shadowed" | "tool_schema_invalid" | "function_not_found" | "function_bad_spec" | "function_load_failed" | "function_not_callable" | "python_unavailable" | "mcp_unknown_server" | "mcp_command_line" | "mcp_unknown_prompt" | "mcp_prompt_arguments" | "mcp_bad_config" | "hook_bad_signature" | "hook_bad_option" | "hook_concerns_nothing" | "guard_invalid" | "approval_unknown" | "session_unknown" | "session_mismatch" | "run_step_unknown" | "eval_invalid" | "report_unknown" | "judge_uncalibrated" | "recording_missing" | "cassette_invalid" | "replay_mismatch" | "model_auth" | "model_unreachable" | "model_timeout" | "tool_timeout" | "mcp_needs_auth" | "mcp_auth_failed" | "child_timeout" | "run_timeout" | "hook_timeout" | "url_failed" | "url_timeout" | "slack_refused" | "slack_trouble" | "model_script_exhausted" | "model_rate_limited" | "model_overloaded" | "model_unavailable" | "model_bad_request" | "model_not_found" | "model_bad_stream" | "model_empty_answer" | "model_refused" | "context_overflow" | "composition_bad_answer" | "output_schema_mismatch" | "agent_cycle" | "export_limit" | "prompt_too_large" | "model_quota_exceeded" | "model_output_cut" | "model_output_too_long" | "depth_exceeded" | "composition_unfinished" | "turns_exceeded" | "calls_exceeded" | "runs_exceeded" | "budget_exceeded" | "hook_rate_limited" | "url_too_large" | "session_busy" | "card_read_only" | "person_required" | "approval_denied" | "permission_denied" | "guard_denied" | "guard_failed" | "guard_redacted" | "guard_noted" | "headless_no_tools" | "human_unavailable" | "filesystem_denied" | "url_refused" | "export_need_failed" | "tool_unknown" | "tool_bad_arguments" | "tool_outcome_unknown" | "tool_failed" | "mcp_server" | "mcp_start_failed" | "mcp_crashed" | "mcp_closed" | "mcp_failed" | "mcp_oversize" | "child_failed" | "hook_failed" | "hook_no_result" | "filesystem_failed" | "shell_failed" | "skill_unknown" | "audit_failed" | "store_locked" | "approval_elsewhere" | "store_full" | "run_unknown" | "run_exists" | "run_not_resumable" | "run_changed" | "store_lease_lost" | "store_unavailable" | "store_corrupt" | "store_newer" | "request_invalid" | "request_refused" | "request_too_large" | "request_media_type" | "request_repeated" | "route_unknown" | "method_unknown" | "embedding_model_unknown" | "token_required" | "operator_required" | "role_required" | "scope_required" | "identity_unavailable" | "signature_invalid" | "server_exposed" | "server_busy" | "rate_limited" | "spending_limited" | "run_waiting" | "run_interrupted" | "run_cancelled" | "internal";
        readonly RunReport: {
            readonly runId: string;
            readonly agent: string;
            /** @enum {string} */
            readonly outcome: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied";
            readonly output: components["schemas"]["Output"];
            readonly error?: components["schemas"]["Failure"];
            readonly usage: components["schemas"]["Usage"];
            /** @description Tool calls and child runs that failed, were denied, timed out or gave a partial answer, and warnings that weaken the result. */
            readonly problems: readonly components["schemas"]["RunProblem"][];
            /** @description The number of problems, including those that are not listed. */
            readonly problemCount: number;
            readonly sessionId: string;
            /** @description Wall time in ms from the first start of the run to its end, or to the last event of an interrupted run. */
            readonly durationMs: number;
            /** @description The part of `durationMs` in which the run was active, without the time it waited for a person and the time in which no process worked on it. */
            readonly activeMs: number;
        };
        readonly Output: {
            /** @enum {string} */
            readonly format: "text" | "markdown" | "json";
            readonly text?: string;
            readonly value?: components["schemas"]["Json"];
            readonly files?: readonly {
                readonly mediaType: string;
                /** @description Content in base64. */
                readonly data?: string;
                readonly filename?: string;
                readonly uri?: string;
            }[];
            readonly citations?: readonly {
                readonly url: string;
                readonly title?: string;
                /** @description Start of the text that it supports, in characters. */
                readonly startIndex?: number;
                /** @description Exclusive end of that text. */
                readonly endIndex?: number;
                readonly citedText?: string;
            }[];
        };
        /** @description Any JSON value. */
        readonly Json: JsonValue;
        readonly Usage: {
            readonly inputTokens: number;
            readonly cacheReadTokens: number;
            readonly cacheWriteTokens: number;
            readonly outputTokens: number;
            readonly reasoningTokens: number;
            /** @description In USD; null if a price is unknown. */
            readonly cost: number | null;
            readonly unpriced: readonly string[];
            readonly estimated: boolean;
            readonly modelCalls: number;
            readonly toolCalls: number;
            readonly byAgent: {
                readonly [key: string]: {
                    readonly inputTokens: number;
                    readonly cacheReadTokens: number;
                    readonly cacheWriteTokens: number;
                    readonly outputTokens: number;
                    readonly reasoningTokens: number;
                    /** @description In USD; null if a price is unknown. */
                    readonly cost: number | null;
                    readonly unpriced: readonly string[];
                    readonly estimated: boolean;
                    readonly modelCalls: number;
                    readonly toolCalls: number;
                };
            };
        };
        readonly RunProblem: {
            readonly runId: string;
            readonly agent: string;
            readonly instance: string;
            readonly tool?: string;
            readonly code: string;
            readonly message: string;
        };
        readonly RunEvent: components["schemas"]["EventEnvelope"] & ({
            /** @constant */
            readonly type: "run-start";
            readonly input: string;
            readonly model: readonly string[];
            readonly definition: {
                readonly name: string;
                readonly digest: string;
                readonly version: string;
            };
            readonly sessionId: string;
            readonly maxInstances: number;
        } | {
            /** @constant */
            readonly type: "turn-start";
            readonly turn: number;
        } | {
            /** @constant */
            readonly type: "text-start";
            readonly turn: number;
        } | {
            /** @constant */
            readonly type: "text-delta";
            readonly text: string;
        } | {
            /** @constant */
            readonly type: "text-end";
            readonly turn: number;
            readonly text: string;
        } | {
            /** @constant */
            readonly type: "reasoning-delta";
            readonly text: string;
        } | {
            /** @constant */
            readonly type: "tool-queued";
            readonly toolName: string;
            readonly position: number;
            readonly childInstance?: string;
        } | {
            /** @constant */
            readonly type: "tool-call";
            readonly toolName: string;
            /** @enum {string} */
            readonly source: "mcp" | "function" | "agent" | "runtime" | "client" | "provider";
            readonly server?: string;
            readonly args: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            readonly turn: number;
            readonly ordinal: number;
            readonly toolUseId: string;
            readonly childInstance?: string;
        } | {
            /** @constant */
            readonly type: "tool-start";
            readonly toolName: string;
            readonly attempt: number;
        } | {
            /** @constant */
            readonly type: "tool-progress";
            readonly toolName: string;
            readonly text: string;
        } | {
            /** @constant */
            readonly type: "tool-result";
            readonly toolName: string;
            /** @enum {string} */
            readonly source: "mcp" | "function" | "agent" | "runtime" | "client" | "provider";
            readonly server?: string;
            /** @enum {string} */
            readonly outcome: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied";
            readonly content: readonly ({
                /** @constant */
                readonly type: "text";
                readonly text: string;
            } | {
                /** @constant */
                readonly type: "data";
                readonly mediaType: string;
                readonly base64: string;
            })[];
            readonly error?: components["schemas"]["Failure"];
            readonly attempts: number;
            readonly durationMs: number;
            readonly bytesIn: number;
            readonly bytesOut: number;
            readonly childRunId?: string;
            readonly childInstance?: string;
        } | {
            /** @constant */
            readonly type: "approval-request";
            readonly approvalId: string;
            readonly toolName: string;
            readonly args: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            readonly asks?: components["schemas"]["Question"];
            readonly reason?: string;
            readonly expiresAt?: number;
            /** @constant */
            readonly client?: true;
        } | {
            /** @constant */
            readonly type: "approval-result";
            readonly approvalId: string;
            readonly toolName: string;
            /** @enum {string} */
            readonly decision: "approved" | "denied";
            readonly reason?: string;
            readonly answer?: string;
            readonly values?: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            /** @enum {string} */
            readonly remember?: "session" | "always";
            /** @enum {string} */
            readonly remembered?: "session" | "always";
            readonly by?: components["schemas"]["Decider"];
        } | {
            /** @constant */
            readonly type: "model-retry";
            readonly model: string;
            readonly attempt: number;
            readonly delayMs: number;
            readonly code: string;
            readonly message: string;
        } | {
            /** @constant */
            readonly type: "model-fallback";
            readonly from: string;
            readonly to: string;
            readonly code: string;
        } | {
            /** @constant */
            readonly type: "usage";
            readonly provider: string;
            readonly model: string;
            readonly tokens: components["schemas"]["EventUsage"];
            /** @description In USD; null if the price is unknown. */
            readonly cost: number | null;
            readonly latencyMs: number;
            readonly estimated: boolean;
            readonly turn: number;
            readonly error?: components["schemas"]["Failure"];
            readonly partialText?: string;
        } | {
            /** @constant */
            readonly type: "budget";
            /** @enum {string} */
            readonly kind: "tokens" | "cost";
            readonly used: number;
            readonly cap: number;
        } | {
            /** @constant */
            readonly type: "context-shortened";
            /** @enum {string} */
            readonly strategy: "trim" | "summarise";
            /** @enum {string} */
            readonly reason: "threshold" | "overflow";
            readonly droppedMessages: number;
            readonly trimmedResults: number;
            readonly tokensBefore: number;
            readonly tokensAfter: number;
            readonly summary?: string;
            readonly turn: number;
        } | {
            /** @constant */
            readonly type: "run-waiting";
            readonly approvalId: string;
        } | {
            /** @constant */
            readonly type: "log";
            readonly text: string;
            readonly data?: components["schemas"]["Json"];
        } | {
            /** @constant */
            readonly type: "warning";
            readonly code: string;
            readonly message: string;
            /** @constant */
            readonly weakens?: true;
        } | {
            /** @constant */
            readonly type: "turn-end";
            readonly turn: number;
            readonly finishReason: string;
            readonly toolCalls: number;
        } | {
            /** @constant */
            readonly type: "run-end";
            /** @enum {string} */
            readonly outcome: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied";
            readonly output: components["schemas"]["Output"];
            readonly usage: components["schemas"]["EventUsage"];
            readonly byAgent: {
                readonly [key: string]: components["schemas"]["EventUsage"];
            };
            readonly unpriced: readonly string[];
            readonly error?: components["schemas"]["Failure"];
            readonly durationMs: number;
            readonly activeMs?: number;
            /** @description Tool calls and child runs that failed, were denied, timed out or gave a partial answer, and warnings that weaken the result. */
            readonly problems?: readonly components["schemas"]["RunProblem"][];
            readonly problemCount?: number;
        });
        readonly EventEnvelope: {
            /** @description In ms since 1970. */
            readonly time: number;
            readonly runId: string;
            readonly rootRunId: string;
            readonly parentRunId?: string;
            readonly agent: string;
            readonly instance: string;
            readonly depth: number;
            readonly callId?: string;
            readonly calledAs?: string;
            /** @description The number of the event in its run tree, from 1. */
            readonly seq?: number;
            /** @description Instead of `seq`, for events that are not stored: the last `seq`. */
            readonly after?: number;
        };
        readonly Question: {
            readonly question: string;
            readonly choices?: readonly string[];
            readonly name?: string;
            readonly form?: {
                readonly [key: string]: components["schemas"]["Json"];
            };
        };
        /** @description The person who decided, if known. */
        readonly Decider: {
            /** @enum {string} */
            readonly via: "page" | "api" | "terminal" | "slack" | "link";
            /** @description Principal, user of Slack, or the receiver of the link, who need not be the one who used it. */
            readonly name?: string;
        };
        readonly EventUsage: {
            readonly input: number;
            readonly output: number;
            readonly cacheRead: number;
            readonly cacheWrite: number;
            readonly reasoning: number;
            /** @description Cost in millionths of a USD. */
            readonly micros: number;
            readonly modelCalls: number;
            readonly toolCalls: number;
            /** @description Model calls whose price is not known. */
            readonly unpriced: number;
            /** @description Model calls whose tokens the provider did not report. */
            readonly estimated: number;
        };
        readonly AgentList: {
            readonly agents: readonly components["schemas"]["Agent"][];
            /** @description The largest request body that the server accepts, in bytes. */
            readonly maxBodyBytes: number;
        };
        readonly Agent: {
            readonly name: string;
            readonly description?: string;
            readonly usage?: string;
            readonly version?: string;
            /** @enum {string} */
            readonly type: "agent" | "chain" | "parallel" | "router" | "orchestrator" | "evaluator_optimizer" | "voting";
            /** @enum {string} */
            readonly mode: "interactive" | "autonomous" | "tools";
            /** @description True if it runs when no agent is named. */
            readonly entry: boolean;
            readonly models: readonly string[];
            readonly children: readonly string[];
            readonly servers: readonly string[];
            readonly tools: readonly components["schemas"]["ServedTool"][];
            readonly reaches: readonly components["schemas"]["ReachedTool"][];
            readonly worstCase: components["schemas"]["AgentWorstCase"];
            readonly limits: components["schemas"]["Limits"];
            readonly input?: {
                /** @enum {string} */
                readonly format: "text" | "json";
                readonly schema?: {
                    readonly [key: string]: components["schemas"]["Json"];
                };
                readonly message?: string;
                /** @constant */
                readonly template?: "jinja";
            };
            readonly output?: {
                /** @enum {string} */
                readonly format: "text" | "markdown" | "json";
                readonly schema?: {
                    readonly [key: string]: components["schemas"]["Json"];
                };
            };
            readonly env: readonly components["schemas"]["AgentVariable"][];
            readonly problems: readonly components["schemas"]["AgentProblem"][];
        };
        readonly ServedTool: {
            readonly name: string;
            /** @enum {string} */
            readonly source: "mcp" | "function" | "agent" | "runtime" | "client" | "provider";
            readonly server?: string;
            /** @enum {string} */
            readonly permission: "allow" | "ask" | "deny";
            readonly capabilities?: readonly ("reads_private" | "reads_untrusted" | "egress" | "destructive")[];
        };
        readonly ReachedTool: {
            readonly name: string;
            /** @enum {string} */
            readonly source: "mcp" | "function" | "agent" | "runtime" | "client" | "provider";
            readonly server?: string;
            /** @enum {string} */
            readonly permission: "allow" | "ask" | "deny";
            readonly capabilities?: readonly ("reads_private" | "reads_untrusted" | "egress" | "destructive")[];
            readonly via: readonly string[];
        };
        /** @description Upper bounds of one run. A missing field means no bound. */
        readonly AgentWorstCase: {
            readonly runs: number;
            readonly modelCalls: number;
            readonly toolCalls: number;
            readonly tokens?: number;
            /** @description In USD. */
            readonly cost?: number;
            readonly durationMs?: number;
        };
        /** @description Times are in ms, costs in USD. */
        readonly Limits: {
            readonly maxTurns?: number;
            readonly maxToolCallsPerTurn?: number;
            readonly maxParallel?: number;
            readonly parallelToolCalls?: boolean;
            readonly maxDepth?: number;
            readonly maxRuns?: number;
            readonly hookTimeout?: number;
            readonly llmTimeout?: number;
            readonly toolTimeout?: number;
            readonly childTimeout?: number;
            readonly idleTimeout?: number;
            readonly timeout?: number;
            readonly maxRetries?: number;
            readonly approvalTimeout?: number;
            readonly maxTokens?: number;
            readonly maxCost?: number;
            readonly maxToolResultBytes?: number;
        };
        readonly AgentVariable: {
            readonly name: string;
            readonly neededFor: string;
            readonly isSet: boolean;
            /** @description Where the value comes from. Only sent to operators. */
            readonly origin?: string;
        };
        readonly AgentProblem: {
            /** @enum {string} */
            readonly severity: "error" | "warning";
            readonly code: components["schemas"]["ErrorCode"];
            readonly message: string;
            readonly file?: string;
            readonly line?: number;
            readonly column?: number;
            readonly fix?: string;
        };
        readonly TeamStats: {
            /** @description Number of root runs that the figures are from. */
            readonly rootRuns: number;
            /**
             * @description Set if runs with many events were left out. A later request may include them.
             * @constant
             */
            readonly isPartial?: true;
            readonly agents: readonly components["schemas"]["AgentStats"][];
            readonly calls: readonly components["schemas"]["CallStats"][];
        };
        readonly AgentStats: {
            readonly agent: string;
            /** @description Root runs and runs that other agents started. */
            readonly runs: number;
            /** @description Runs with the outcome failed, timeout or budget. */
            readonly failures: number;
            /** @description Active time in ms. */
            readonly p50Ms: number;
            /** @description Active time in ms. */
            readonly p95Ms: number;
            /** @description Mean cost of the agent itself, without the agents it calls. */
            readonly meanCost: number | null;
            /** @description At most 30 of the newest runs, the oldest first. */
            readonly recent: readonly {
                readonly rootRunId: string;
                /** @description When it ended, in ms since 1970. */
                readonly time: number;
                /** @description Active time in ms. */
                readonly ms: number;
                /** @description In USD; null if a price is unknown. */
                readonly cost: number | null;
                readonly hasFailed: boolean;
            }[];
        };
        readonly CallStats: {
            readonly from: string;
            readonly to: string;
            readonly calls: number;
            readonly failures: number;
            /** @description Calls per run of the calling agent. */
            readonly perRun: number;
        };
        readonly ModelList: {
            readonly models: readonly components["schemas"]["ModelChoice"][];
        };
        readonly ModelChoice: {
            readonly id: string;
            readonly means?: readonly string[];
            /** @description Tokens of a request and its answer together, if known. */
            readonly contextWindow?: number;
        };
        readonly RunPage: {
            readonly runs: readonly components["schemas"]["RunSummary"][];
            /** @description Send it as `before` to get the next page; not set on the last page. */
            readonly next?: string;
        };
        readonly RunSummary: {
            readonly runId: string;
            readonly agent: string;
            /** @enum {string} */
            readonly state: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied" | "queued" | "running" | "waiting" | "interrupted" | "damaged";
            readonly sessionId: string;
            readonly startedAt: number;
            /** @description Wall time in ms from the first start of the run to its end, or to the last event of an interrupted run. */
            readonly durationMs?: number;
            /** @description The part of `durationMs` in which the run was active, without the time it waited for a person and the time in which no process worked on it. */
            readonly activeMs?: number;
            readonly cost?: number | null;
            readonly input: string;
            /** @enum {string} */
            readonly detail: "full" | "metadata";
            readonly label?: components["schemas"]["RunLabel"];
            readonly principal?: string;
        };
        /** @description The judgement of a person. */
        readonly RunLabel: {
            /** @enum {string} */
            readonly value: "up" | "down";
            readonly note?: string;
        };
        readonly StartRunBody: {
            /** @description The name of a served agent. Default: the entry agent. */
            readonly agent?: string;
            /** @description The message. */
            readonly q?: string;
            /** @description Replaces `q`: the message, or the input object of the agent. */
            readonly input?: string | {
                readonly [key: string]: unknown;
            };
            /** @enum {string} */
            readonly format?: "text" | "markdown" | "json";
            /** @description A JSON Schema. The answer is JSON that matches it. */
            readonly schema?: {
                readonly [key: string]: unknown;
            };
            readonly session?: string;
            /** @description Images, PDF and text files that are sent with the message. */
            readonly attachments?: readonly components["schemas"]["AttachmentBody"][];
            /** @description A run whose message this one replaces: the run starts a new conversation with the messages before it. Its files are sent too unless `attachments` is set. */
            readonly replaces?: string;
            /** @description A model of `/api/models` that every agent of the run uses instead of its own. */
            readonly model?: string;
            /** @description Limits in tokens and USD, in addition to those of the card. */
            readonly budget?: {
                readonly maxTokens?: number;
                readonly maxCost?: number;
            };
            /** @description A duration: a number of ms, or a text such as "150s" or "5m". */
            readonly timeout?: number | string;
            /** @description Runs that wait start in the order of their priorities, lower first. Default: 100. Only the operator may use a lower number. */
            readonly priority?: number;
        };
        readonly AttachmentBody: {
            /** @enum {string} */
            readonly mediaType: "text/plain" | "application/json" | "text/markdown" | "text/csv" | "text/html" | "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "audio/wav" | "audio/mpeg" | "application/pdf";
            /** @description Content in base64. */
            readonly data: string;
            readonly filename?: string;
        };
        readonly StartedRun: {
            readonly runId: string;
            /** @enum {string} */
            readonly state: "running" | "queued";
        };
        readonly Change: {
            /** @constant */
            readonly type: "reset";
        } | {
            /** @constant */
            readonly type: "runs";
            readonly runs: readonly components["schemas"]["RunSummary"][];
        } | {
            /** @constant */
            readonly type: "approvals";
            readonly total: number;
        } | {
            /** @constant */
            readonly type: "sessions";
        } | {
            /** @constant */
            readonly type: "reload";
            readonly list: string;
        } | {
            /** @constant */
            readonly type: "run";
            readonly event: components["schemas"]["RunEvent"];
        } | {
            /** @constant */
            readonly type: "run-over";
            readonly runId: string;
        } | {
            /** @constant */
            readonly type: "run-refused";
            readonly runId: string;
            readonly error: components["schemas"]["Failure"];
        };
        readonly SessionPage: {
            readonly sessions: readonly components["schemas"]["SessionSummary"][];
            /** @description Send it as `before` to get the next page; not set on the last page. */
            readonly next?: string;
        };
        readonly SessionSummary: {
            /** @description The conversation, or the one of its branches with the newest run. */
            readonly sessionId: string;
            readonly agent: string;
            readonly name?: string;
            /** @description The start of the first message. */
            readonly title: string;
            readonly archived: boolean;
            /** @description Start of the newest run, in ms since 1970. */
            readonly changedAt: number;
            /** @enum {string} */
            readonly state: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied" | "queued" | "running" | "waiting" | "interrupted" | "damaged";
        };
        readonly Session: {
            readonly sessionId: string;
            readonly name?: string;
            readonly archived: boolean;
            readonly branches: readonly components["schemas"]["SessionBranch"][];
        };
        /** @description A session whose first message replaces that of a run. */
        readonly SessionBranch: {
            readonly sessionId: string;
            readonly branchOf: {
                readonly sessionId: string;
                readonly runId: string;
            };
        };
        readonly SessionBody: {
            /** @description The new name. An empty text removes it. */
            readonly name?: string;
            readonly archived?: boolean;
        };
        readonly DeletedSession: {
            readonly sessionId: string;
        };
        readonly ApprovalList: {
            readonly approvals: readonly components["schemas"]["ListedApproval"][];
            /** @description The number of open approvals, including those that are not listed. */
            readonly total: number;
        };
        readonly ListedApproval: {
            /** @description The root run, whose id is part of the path for the answer. */
            readonly runId: string;
            /** @description The agents from the root run to the one that is waiting: `Lead`, `Scout[5]`. */
            readonly path: readonly string[];
            /** @description When it is denied automatically, in ms since 1970. */
            readonly expiresAt: number;
            /** @description Start of the message that the root run answers. */
            readonly input: string;
            /** @description Start of the root run, in ms since 1970. */
            readonly startedAt: number;
            /** @description Cost of the run tree so far, in USD; null if a price is unknown. */
            readonly cost: number | null;
            readonly approvalId: string;
            readonly agent: string;
            readonly instance: string;
            readonly toolName: string;
            readonly args: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            /** @description A question of the tool; not set if the call needs approval. */
            readonly asks?: components["schemas"]["Question"];
            readonly reason?: string;
            readonly time: number;
        };
        readonly DecisionPage: {
            readonly decisions: readonly components["schemas"]["DecidedApproval"][];
            /** @description Send it as `before` to get the next page; not set on the last page. */
            readonly next?: string;
        };
        readonly DecidedApproval: {
            readonly runId: string;
            readonly path: readonly string[];
            readonly approvalId: string;
            readonly agent: string;
            readonly instance: string;
            readonly toolName: string;
            readonly args: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            /** @description A question of the tool; not set if the call needs approval. */
            readonly asks?: components["schemas"]["Question"];
            readonly reason?: string;
            readonly time: number;
            /** @enum {string} */
            readonly decision: "approved" | "denied";
            /** @description In ms since 1970. */
            readonly decidedAt: number;
            readonly by?: components["schemas"]["Decider"];
            /** @description The reason of the decision. */
            readonly comment?: string;
            /** @description The answer to a question of the tool. */
            readonly answer?: string;
            /** @enum {string} */
            readonly remember?: "session" | "always";
        };
        readonly Run: {
            readonly runId: string;
            readonly agent: string;
            /** @enum {string} */
            readonly state: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied" | "queued" | "running" | "waiting" | "interrupted" | "damaged";
            readonly sessionId: string;
            readonly startedAt: number;
            /** @description Wall time in ms from the first start of the run to its end, or to the last event of an interrupted run. */
            readonly durationMs?: number;
            /** @description The part of `durationMs` in which the run was active, without the time it waited for a person and the time in which no process worked on it. */
            readonly activeMs?: number;
            readonly cost?: number | null;
            readonly input: string;
            /** @enum {string} */
            readonly detail: "full" | "metadata";
            readonly label?: components["schemas"]["RunLabel"];
            readonly output?: components["schemas"]["Output"];
            readonly error?: components["schemas"]["Failure"];
            readonly usage?: components["schemas"]["Usage"];
            /** @description Tool calls and child runs that failed, were denied, timed out or gave a partial answer, and warnings that weaken the result. */
            readonly problems?: readonly components["schemas"]["RunProblem"][];
            /** @description The number of problems, including those that are not listed. */
            readonly problemCount?: number;
            readonly forkOf?: {
                readonly runId: string;
                readonly at: string;
            };
            readonly retryOf?: string;
            /**
             * @description Set if the run tried a card that was not saved.
             * @constant
             */
            readonly isTrial?: true;
            readonly model?: string;
            readonly approvals: readonly components["schemas"]["OpenApproval"][];
            readonly lastSeq: number;
        };
        readonly OpenApproval: {
            readonly approvalId: string;
            readonly agent: string;
            readonly instance: string;
            readonly toolName: string;
            readonly args: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            /** @description A question of the tool; not set if the call needs approval. */
            readonly asks?: components["schemas"]["Question"];
            readonly reason?: string;
            readonly time: number;
        };
        readonly EventPage: {
            readonly events: readonly components["schemas"]["RunEvent"][];
            /** @description The `seq` of the last stored event of the run. */
            readonly lastSeq: number;
        };
        readonly ForkBody: {
            /** @description A turn: `2` of the root run, `1.2/3` of the run that call 1.2 started. */
            readonly at: string;
            /** @description Continue even if cards have changed since. */
            readonly acceptChanges?: boolean;
            /** @description Prompts by agent that replace those of the cards. Requires permission to edit cards. */
            readonly prompts?: {
                readonly [key: string]: string;
            };
        };
        readonly LabelBody: {
            /** @enum {string} */
            readonly value: "up" | "down";
            /** @description The reason. */
            readonly note?: string;
        };
        readonly RunPrompts: {
            readonly prompts: readonly {
                readonly agent: string;
                readonly prompt: string;
            }[];
        };
        readonly DecisionBody: {
            /** @enum {string} */
            readonly decision: "approved" | "denied";
            readonly reason?: string;
            /** @description The answer to a question of the tool. */
            readonly answer?: string;
            /** @description The answer to a form. */
            readonly values?: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Approves later calls too: for the rest of the conversation, or always.
             * @enum {string}
             */
            readonly remember?: "session" | "always";
        };
        readonly ApprovalDecision: {
            readonly runId: string;
            readonly approvalId: string;
            /** @enum {string} */
            readonly decision: "approved" | "denied";
        };
        readonly WriteTarget: {
            /** @constant */
            readonly state: "text";
            readonly text: string;
            /** @description Time of the last change, in ms since 1970. */
            readonly changedAt: number;
        } | {
            /** @constant */
            readonly state: "missing";
        } | {
            /** @constant */
            readonly state: "hidden";
            readonly reason: string;
        };
        readonly LinkBody: {
            /** @description The receiver, for the log of decisions. */
            readonly sentTo: string;
            /** @description Default: both. */
            readonly decisions?: readonly ("approved" | "denied")[];
            /** @description A duration: a number of ms, or a text such as "150s" or "5m". */
            readonly expiresIn?: number | string;
        };
        readonly ApprovalLink: {
            /** @description Address of the page. The token is in the fragment. */
            readonly url: string;
            readonly token: string;
            /** @description In ms since 1970. */
            readonly expiresAt: number;
        };
        readonly OpenLinkBody: {
            readonly token: string;
        };
        readonly LinkedApproval: {
            readonly approval: components["schemas"]["ListedApproval"];
            readonly decisions: readonly ("approved" | "denied")[];
            /** @description When the link expires, in ms since 1970. */
            readonly expiresAt: number;
            readonly target?: components["schemas"]["WriteTarget"];
        };
        readonly DecideLinkBody: {
            readonly token: string;
            /** @enum {string} */
            readonly decision: "approved" | "denied";
            readonly reason?: string;
        };
        readonly PushState: {
            /** @description Key for `pushManager.subscribe`. Not set if push is off. */
            readonly publicKey?: string;
        };
        readonly PushSubscriptionBody: {
            /** Format: uri */
            readonly endpoint: string;
            readonly keys: {
                readonly p256dh: string;
                readonly auth: string;
            };
            /** @description Also notify when a run ends. Default: false. */
            readonly runs?: boolean;
        };
        readonly PushSubscriptionState: {
            readonly subscribed: boolean;
        };
        readonly PushEndpointBody: {
            /** Format: uri */
            readonly endpoint: string;
        };
        readonly CardSource: {
            readonly agent: string;
            /** @description The file or URL of the card. */
            readonly file: string;
            /** @description The card format, such as `troupe`. */
            readonly format?: string;
            /** @description The prompt of the agent as it runs. */
            readonly prompt: string;
            /** @description The text of the file. */
            readonly text?: string;
            /** @description Why the card cannot be edited; not set if it can. */
            readonly readOnly?: string;
            /** @description The version of the text. */
            readonly version?: string;
        };
        readonly CardBody: {
            /** @description The whole text of the card. */
            readonly text: string;
            /** @description The version of the card that was read. */
            readonly version: string;
        };
        readonly CardCheckBody: {
            /** @description The whole text of the card. */
            readonly text: string;
        };
        readonly CardTrialBody: {
            /** @description The whole text of the card. */
            readonly text: string;
            /** @description A run of the agent whose input is repeated. */
            readonly runId?: string;
            /** @description Replaces `runId`: the message, or the input object of the agent. */
            readonly input?: string | {
                readonly [key: string]: unknown;
            };
        };
        readonly CardRevision: {
            readonly id: string;
            /** @description When it was written, in ms since 1970. */
            readonly time: number;
            readonly subject?: string;
            readonly author?: string;
        };
        readonly ToolList: {
            readonly agent: string;
            /** @description The file of the card. */
            readonly file: string;
            /** @description Why the card cannot be edited; not set if it can. */
            readonly readOnly?: string;
            /** @description The version of the text of the card. */
            readonly version?: string;
            readonly tools: readonly components["schemas"]["ExportedTool"][];
        };
        readonly ExportedTool: {
            readonly name: string;
            readonly description: string;
            readonly parameters: {
                readonly [key: string]: components["schemas"]["Json"];
            };
            readonly prompt: string;
        };
        readonly ToolBody: {
            readonly tool: {
                /** @description The name that clients use. */
                readonly name: string;
                /** @description The description that models read. */
                readonly description: string;
                /** @description A JSON Schema of type object. */
                readonly parameters: {
                    readonly [key: string]: unknown;
                };
                /** @description The prompt template, filled in with the arguments. */
                readonly prompt: string;
            };
            /** @description The version of the card that was read. */
            readonly version?: string;
        };
        readonly ArgumentsBody: {
            readonly args: {
                readonly [key: string]: unknown;
            };
        };
        readonly ToolPrompt: {
            readonly prompt: string;
            readonly problems: readonly string[];
        };
        readonly TrialBody: {
            readonly args: {
                readonly [key: string]: unknown;
            };
            /** @description A model of `/api/models` that every agent of the run uses instead of its own. */
            readonly model?: string;
        };
        readonly StartedTrial: {
            readonly runId: string;
            /** @enum {string} */
            readonly state: "running" | "queued";
            readonly prompt: string;
        };
        readonly ScheduleList: {
            readonly schedules: readonly components["schemas"]["Schedule"][];
        };
        readonly Schedule: {
            readonly name: string;
            readonly agent: string;
            readonly cron: string;
            readonly timeZone: string;
            /** @enum {string} */
            readonly overlap: "skip" | "queue" | "allow";
            /** @enum {string} */
            readonly catchUp: "none" | "last" | "all";
            readonly priority: number;
            readonly isPaused: boolean;
            /** @description Wall time in ms. */
            readonly next?: number;
            readonly last?: {
                /** @description Wall time in ms. */
                readonly due: number;
                readonly runId: string;
                /** @enum {string} */
                readonly state: "waiting" | "claimed" | "started" | "skipped" | "failed";
            };
        };
        readonly ScheduleFiring: {
            readonly schedule: string;
            /** @description Wall time in ms. */
            readonly due: number;
            readonly runId: string;
        };
        readonly ScheduleState: {
            readonly name: string;
            readonly isPaused: boolean;
        };
        readonly EvalReportList: {
            readonly reports: readonly components["schemas"]["EvalReportSummary"][];
        };
        readonly EvalReportSummary: {
            readonly id: string;
            /** @description ISO time. */
            readonly createdAt: string;
            readonly commit?: string;
            readonly agent: string;
            /** @description Digest of the cards of the team. */
            readonly cardDigest: string;
            /** @description Names of the case files. */
            readonly caseFiles: readonly string[];
            readonly variants: readonly {
                readonly model?: string;
                readonly totals: components["schemas"]["EvalTotals"];
            }[];
            /** @enum {string} */
            readonly verdict?: "better" | "worse" | "not distinguishable";
            /** @description The git ref or report that it is compared with. */
            readonly base?: string;
        };
        readonly EvalTotals: {
            readonly passed: number;
            readonly failed: number;
            /** @description Repeats that broke for a reason outside the team. */
            readonly errors: number;
            /** @description Passed / (passed + failed). */
            readonly rate: number | null;
            /** @description The Wilson interval of the rate at 95 %. */
            readonly interval: readonly [
                number,
                number
            ] | null;
            readonly usage: components["schemas"]["EvalUsage"];
            readonly modelCalls: {
                readonly asked: number;
                readonly recorded: number;
            };
        };
        readonly EvalUsage: {
            readonly inputTokens: number;
            readonly outputTokens: number;
            /** @description In USD; null if the price of a call is not known. */
            readonly cost: number | null;
            readonly durationMs: number;
        };
        readonly EvalReport: {
            readonly id: string;
            /** @description ISO time. */
            readonly createdAt: string;
            readonly commit?: string;
            readonly agent: string;
            /** @description Digest of the cards of the team. */
            readonly cardDigest: string;
            /** @description Names of the case files. */
            readonly caseFiles: readonly string[];
            /** @constant */
            readonly version: 1;
            /** @description The runs whose events are saved. */
            readonly runIds: readonly string[];
            readonly variants: readonly {
                readonly model?: string;
                readonly cases: readonly components["schemas"]["EvalCaseReport"][];
                readonly totals: components["schemas"]["EvalTotals"];
            }[];
            readonly comparison?: components["schemas"]["EvalComparison"];
            /** @description Why there is no comparison, if a configuration error broke every run of one side. */
            readonly comparisonProblem?: string;
        };
        readonly EvalCaseReport: {
            readonly id: string;
            readonly description?: string;
            readonly repeats: readonly components["schemas"]["EvalRepeat"][];
            readonly totals: components["schemas"]["EvalTotals"];
        };
        readonly EvalRepeat: {
            readonly index: number;
            /** @enum {string} */
            readonly status: "passed" | "failed" | "error";
            readonly runId?: string;
            /** @enum {string} */
            readonly outcome?: "completed" | "partial" | "failed" | "timeout" | "budget" | "cancelled" | "denied";
            readonly output?: string;
            readonly checks: readonly components["schemas"]["EvalCheckResult"][];
            readonly error?: {
                readonly code: string;
                readonly message: string;
            };
            readonly usage: components["schemas"]["EvalUsage"];
            readonly recorded: boolean;
        };
        readonly EvalCheckResult: {
            readonly name: string;
            readonly passed: boolean;
            /** @description False if the check does not decide. */
            readonly gate: boolean;
            readonly message?: string;
            readonly score?: number;
        };
        readonly EvalComparison: {
            readonly base: string;
            /** @enum {string} */
            readonly verdict: "better" | "worse" | "not distinguishable";
            readonly pValue: number;
            readonly repeatsNeeded: number | null;
            readonly baseTotals: components["schemas"]["EvalTotals"];
            readonly cases: readonly {
                readonly id: string;
                /** @enum {string} */
                readonly verdict: "better" | "worse" | "not distinguishable";
                readonly pValue: number;
                readonly base: components["schemas"]["EvalTotals"];
                readonly current: components["schemas"]["EvalTotals"];
            }[];
        };
        readonly EvalRunEvents: {
            readonly events: readonly components["schemas"]["RunEvent"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Failure = components['schemas']['Failure'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type RunReport = components['schemas']['RunReport'];
export type Output = components['schemas']['Output'];
export type Json = components['schemas']['Json'];
export type Usage = components['schemas']['Usage'];
export type RunProblem = components['schemas']['RunProblem'];
export type RunEvent = components['schemas']['RunEvent'];
export type EventEnvelope = components['schemas']['EventEnvelope'];
export type Question = components['schemas']['Question'];
export type Decider = components['schemas']['Decider'];
export type EventUsage = components['schemas']['EventUsage'];
export type AgentList = components['schemas']['AgentList'];
export type Agent = components['schemas']['Agent'];
export type ServedTool = components['schemas']['ServedTool'];
export type ReachedTool = components['schemas']['ReachedTool'];
export type AgentWorstCase = components['schemas']['AgentWorstCase'];
export type Limits = components['schemas']['Limits'];
export type AgentVariable = components['schemas']['AgentVariable'];
export type AgentProblem = components['schemas']['AgentProblem'];
export type TeamStats = components['schemas']['TeamStats'];
export type AgentStats = components['schemas']['AgentStats'];
export type CallStats = components['schemas']['CallStats'];
export type ModelList = components['schemas']['ModelList'];
export type ModelChoice = components['schemas']['ModelChoice'];
export type RunPage = components['schemas']['RunPage'];
export type RunSummary = components['schemas']['RunSummary'];
export type RunLabel = components['schemas']['RunLabel'];
export type StartRunBody = components['schemas']['StartRunBody'];
export type AttachmentBody = components['schemas']['AttachmentBody'];
export type StartedRun = components['schemas']['StartedRun'];
export type Change = components['schemas']['Change'];
export type SessionPage = components['schemas']['SessionPage'];
export type SessionSummary = components['schemas']['SessionSummary'];
export type Session = components['schemas']['Session'];
export type SessionBranch = components['schemas']['SessionBranch'];
export type SessionBody = components['schemas']['SessionBody'];
export type DeletedSession = components['schemas']['DeletedSession'];
export type ApprovalList = components['schemas']['ApprovalList'];
export type ListedApproval = components['schemas']['ListedApproval'];
export type DecisionPage = components['schemas']['DecisionPage'];
export type DecidedApproval = components['schemas']['DecidedApproval'];
export type Run = components['schemas']['Run'];
export type OpenApproval = components['schemas']['OpenApproval'];
export type EventPage = components['schemas']['EventPage'];
export type ForkBody = components['schemas']['ForkBody'];
export type LabelBody = components['schemas']['LabelBody'];
export type RunPrompts = components['schemas']['RunPrompts'];
export type DecisionBody = components['schemas']['DecisionBody'];
export type ApprovalDecision = components['schemas']['ApprovalDecision'];
export type WriteTarget = components['schemas']['WriteTarget'];
export type LinkBody = components['schemas']['LinkBody'];
export type ApprovalLink = components['schemas']['ApprovalLink'];
export type OpenLinkBody = components['schemas']['OpenLinkBody'];
export type LinkedApproval = components['schemas']['LinkedApproval'];
export type DecideLinkBody = components['schemas']['DecideLinkBody'];
export type PushState = components['schemas']['PushState'];
export type PushSubscriptionBody = components['schemas']['PushSubscriptionBody'];
export type PushSubscriptionState = components['schemas']['PushSubscriptionState'];
export type PushEndpointBody = components['schemas']['PushEndpointBody'];
export type CardSource = components['schemas']['CardSource'];
export type CardBody = components['schemas']['CardBody'];
export type CardCheckBody = components['schemas']['CardCheckBody'];
export type CardTrialBody = components['schemas']['CardTrialBody'];
export type CardRevision = components['schemas']['CardRevision'];
export type ToolList = components['schemas']['ToolList'];
export type ExportedTool = components['schemas']['ExportedTool'];
export type ToolBody = components['schemas']['ToolBody'];
export type ArgumentsBody = components['schemas']['ArgumentsBody'];
export type ToolPrompt = components['schemas']['ToolPrompt'];
export type TrialBody = components['schemas']['TrialBody'];
export type StartedTrial = components['schemas']['StartedTrial'];
export type ScheduleList = components['schemas']['ScheduleList'];
export type Schedule = components['schemas']['Schedule'];
export type ScheduleFiring = components['schemas']['ScheduleFiring'];
export type ScheduleState = components['schemas']['ScheduleState'];
export type EvalReportList = components['schemas']['EvalReportList'];
export type EvalReportSummary = components['schemas']['EvalReportSummary'];
export type EvalTotals = components['schemas']['EvalTotals'];
export type EvalUsage = components['schemas']['EvalUsage'];
export type EvalReport = components['schemas']['EvalReport'];
export type EvalCaseReport = components['schemas']['EvalCaseReport'];
export type EvalRepeat = components['schemas']['EvalRepeat'];
export type EvalCheckResult = components['schemas']['EvalCheckResult'];
export type EvalComparison = components['schemas']['EvalComparison'];
export type EvalRunEvents = components['schemas']['EvalRunEvents'];
export type $defs = Record<string, never>;
export interface operations {
    readonly listAgents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The agents */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AgentList"];
                };
            };
        };
    };
    readonly readAgentStats: {
        readonly parameters: {
            readonly query?: {
                readonly principal?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TeamStats"];
                };
            };
        };
    };
    readonly listModelChoices: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The models */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ModelList"];
                };
            };
        };
    };
    readonly listRuns: {
        readonly parameters: {
            readonly query?: {
                readonly session?: string;
                readonly conversations?: "true";
                readonly agent?: string;
                readonly state?: string;
                readonly q?: string;
                readonly label?: "up" | "down";
                readonly before?: string;
                readonly limit?: number;
                readonly principal?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of runs */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunPage"];
                };
            };
        };
    };
    readonly startRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["StartRunBody"];
            };
        };
        readonly responses: {
            /** @description The run has already ended and is not stored */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunReport"];
                };
            };
            /** @description The run has started and continues on its own */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    readonly followChanges: {
        readonly parameters: {
            readonly query?: {
                readonly runs?: string;
                readonly principal?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A stream of changes without an end */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["Change"];
                };
            };
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: {
                readonly agent?: string;
                readonly q?: string;
                readonly archived?: "true";
                readonly before?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of conversations */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionPage"];
                };
            };
        };
    };
    readonly readSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The conversation */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly deleteSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The deleted conversation */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeletedSession"];
                };
            };
        };
    };
    readonly changeSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SessionBody"];
            };
        };
        readonly responses: {
            /** @description The conversation */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    readonly listApprovals: {
        readonly parameters: {
            readonly query?: {
                readonly principal?: string;
                readonly state?: "open" | "decided";
                readonly before?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The approvals */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApprovalList"] | components["schemas"]["DecisionPage"];
                };
            };
        };
    };
    readonly readRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    readonly followRun: {
        readonly parameters: {
            readonly query?: {
                readonly after?: string;
                readonly limit?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A stream of events, or a page with `Accept: application/json` */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["RunEvent"];
                    readonly "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description The run has ended, and the client has all of its events */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly readContent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly seq: string;
                readonly part: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The content, in its media type */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
        };
    };
    readonly stopRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    readonly retryRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run has already ended and is not stored */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunReport"];
                };
            };
            /** @description The run has started and continues on its own */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    readonly forkRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ForkBody"];
            };
        };
        readonly responses: {
            /** @description The run has already ended and is not stored */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunReport"];
                };
            };
            /** @description The run has started and continues on its own */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    readonly labelRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LabelBody"];
            };
        };
        readonly responses: {
            /** @description The run */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    readonly unlabelRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    readonly exportRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
        };
    };
    readonly readPrompts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The prompts */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunPrompts"];
                };
            };
        };
    };
    readonly decide: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly approvalId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DecisionBody"];
            };
        };
        readonly responses: {
            /** @description The decision */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApprovalDecision"];
                };
            };
        };
    };
    readonly readWriteTarget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly approvalId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file; nothing for calls that write none */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly target?: components["schemas"]["WriteTarget"];
                    };
                };
            };
        };
    };
    readonly createLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly approvalId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LinkBody"];
            };
        };
        readonly responses: {
            /** @description The link */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApprovalLink"];
                };
            };
        };
    };
    readonly openLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["OpenLinkBody"];
            };
        };
        readonly responses: {
            /** @description The call */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LinkedApproval"];
                };
            };
        };
    };
    readonly decideByLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DecideLinkBody"];
            };
        };
        readonly responses: {
            /** @description The decision */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly decision: "approved" | "denied";
                    };
                };
            };
        };
    };
    readonly readPush: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PushState"];
                };
            };
        };
    };
    readonly subscribePush: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PushSubscriptionBody"];
            };
        };
        readonly responses: {
            /** @description The browser is notified */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PushSubscriptionState"];
                };
            };
        };
    };
    readonly unsubscribePush: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PushEndpointBody"];
            };
        };
        readonly responses: {
            /** @description The browser is no longer notified */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PushSubscriptionState"];
                };
            };
        };
    };
    readonly readCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The card */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CardSource"];
                };
            };
        };
    };
    readonly saveCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CardBody"];
            };
        };
        readonly responses: {
            /** @description The card */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CardSource"];
                };
            };
        };
    };
    readonly readCardSchema: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The schema */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: components["schemas"]["Json"];
                    };
                };
            };
        };
    };
    readonly checkCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CardCheckBody"];
            };
        };
        readonly responses: {
            /** @description The problems */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly problems: readonly components["schemas"]["AgentProblem"][];
                    };
                };
            };
        };
    };
    readonly tryCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CardTrialBody"];
            };
        };
        readonly responses: {
            /** @description The run has already ended and is not stored */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunReport"];
                };
            };
            /** @description The run has started and continues on its own */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    readonly listCardRevisions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The versions */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly revisions: readonly components["schemas"]["CardRevision"][];
                    };
                };
            };
        };
    };
    readonly readCardRevision: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
                readonly revision: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The text */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly text: string;
                    };
                };
            };
        };
    };
    readonly readTemplate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The template */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly template: string;
                    };
                };
            };
        };
    };
    readonly listTools: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current tools */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    readonly addTool: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ToolBody"];
            };
        };
        readonly responses: {
            /** @description The current tools */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    readonly replaceTool: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
                readonly tool: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ToolBody"];
            };
        };
        readonly responses: {
            /** @description The current tools */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    readonly deleteTool: {
        readonly parameters: {
            readonly query?: {
                readonly version?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly agent: string;
                readonly tool: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current tools */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    readonly previewTool: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
                readonly tool: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ArgumentsBody"];
            };
        };
        readonly responses: {
            /** @description The prompt */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToolPrompt"];
                };
            };
        };
    };
    readonly testTool: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly agent: string;
                readonly tool: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TrialBody"];
            };
        };
        readonly responses: {
            /** @description The run has already ended and is not stored */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunReport"];
                };
            };
            /** @description The run has started and continues on its own */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedTrial"];
                };
            };
        };
    };
    readonly listSchedules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The schedules */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ScheduleList"];
                };
            };
        };
    };
    readonly runSchedule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run has started */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ScheduleFiring"];
                };
            };
        };
    };
    readonly pauseSchedule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of the schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ScheduleState"];
                };
            };
        };
    };
    readonly resumeSchedule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of the schedule */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ScheduleState"];
                };
            };
        };
    };
    readonly listEvals: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The reports */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EvalReportList"];
                };
            };
        };
    };
    readonly readEval: {
        readonly parameters: {
            readonly query?: {
                readonly base?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The report */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EvalReport"];
                };
            };
        };
    };
    readonly readEvalRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
                readonly runId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EvalRunEvents"];
                };
            };
        };
    };
}
