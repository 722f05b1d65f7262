import {
  errorMessage,
  ERRORS,
  failure,
  FAILURE_CLASSES,
  outcomeOf,
  toFailure,
  TroupeError,
  troupeError,
} from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'

describe('the table of errors', () => {
  it('the table of errors has these codes and classes, which clients match on', () => {
    const classes = Object.fromEntries(Object.entries(ERRORS).map(([code, entry]) => [code, entry.class]))
    expect(classes).toMatchInlineSnapshot(`
      {
        "agent_ambiguous": "config",
        "agent_cycle": "depth",
        "agent_unknown": "config",
        "approval_denied": "permission",
        "approval_elsewhere": "store",
        "approval_unknown": "config",
        "audit_failed": "store",
        "budget_exceeded": "budget",
        "calls_exceeded": "limit",
        "card_alias_conflict": "config",
        "card_bad_value": "config",
        "card_bad_yaml": "config",
        "card_changed": "config",
        "card_duplicate_name": "config",
        "card_edit_refused": "config",
        "card_format_assumed": "config",
        "card_include": "config",
        "card_key_ignored": "config",
        "card_no_description": "config",
        "card_no_instruction": "config",
        "card_read_only": "permission",
        "card_syntax": "config",
        "card_too_large": "config",
        "card_two_instructions": "config",
        "card_unknown_dialect": "config",
        "card_unknown_key": "config",
        "card_unreadable": "config",
        "card_unsupported": "config",
        "cassette_invalid": "config",
        "child_failed": "tool",
        "child_timeout": "timeout",
        "composition_bad_answer": "model",
        "composition_incomplete": "config",
        "composition_unfinished": "limit",
        "config_invalid": "config",
        "context_overflow": "model",
        "data_flow_mixed": "config",
        "depth_exceeded": "depth",
        "duration_unit": "config",
        "embedding_model_unknown": "config",
        "env_missing": "config",
        "eval_invalid": "config",
        "export_limit": "limit",
        "export_need_failed": "tool",
        "export_need_unmet": "config",
        "exports_no_tools": "config",
        "filesystem_denied": "permission",
        "filesystem_failed": "tool",
        "function_bad_spec": "config",
        "function_load_failed": "config",
        "function_not_callable": "config",
        "function_not_found": "config",
        "guard_denied": "permission",
        "guard_failed": "permission",
        "guard_invalid": "config",
        "guard_noted": "permission",
        "guard_redacted": "permission",
        "headless_no_tools": "permission",
        "hook_bad_option": "config",
        "hook_bad_signature": "config",
        "hook_concerns_nothing": "config",
        "hook_failed": "tool",
        "hook_no_result": "tool",
        "hook_rate_limited": "limit",
        "hook_timeout": "timeout",
        "human_unavailable": "permission",
        "identity_unavailable": "network",
        "input_invalid": "config",
        "internal": "internal",
        "invalid_schema": "config",
        "judge_uncalibrated": "config",
        "key_without_effect": "config",
        "mcp_auth_failed": "auth",
        "mcp_bad_config": "config",
        "mcp_closed": "tool",
        "mcp_command_line": "config",
        "mcp_crashed": "tool",
        "mcp_failed": "tool",
        "mcp_needs_auth": "auth",
        "mcp_oversize": "tool",
        "mcp_prompt_arguments": "config",
        "mcp_server": "tool",
        "mcp_start_failed": "tool",
        "mcp_unknown_prompt": "config",
        "mcp_unknown_server": "config",
        "method_unknown": "config",
        "missing_schema": "config",
        "model_auth": "auth",
        "model_bad_request": "model",
        "model_bad_stream": "model",
        "model_empty_answer": "model",
        "model_not_found": "model",
        "model_output_cut": "limit",
        "model_output_too_long": "limit",
        "model_overloaded": "model",
        "model_quota_exceeded": "budget",
        "model_rate_limited": "model",
        "model_refused": "model",
        "model_script_exhausted": "model",
        "model_script_invalid": "config",
        "model_timeout": "timeout",
        "model_unavailable": "model",
        "model_unknown": "config",
        "model_unpriced": "config",
        "model_unreachable": "network",
        "model_unset": "config",
        "name_shadowed": "config",
        "operator_required": "permission",
        "output_schema_mismatch": "model",
        "permission_denied": "permission",
        "permission_rule_bypassed": "config",
        "permission_rule_widened": "config",
        "person_required": "permission",
        "prompt_too_large": "limit",
        "python_unavailable": "config",
        "rate_limited": "limit",
        "recording_missing": "config",
        "remote_card_forbidden": "config",
        "replay_mismatch": "config",
        "report_unknown": "config",
        "request_invalid": "config",
        "request_media_type": "config",
        "request_refused": "permission",
        "request_repeated": "config",
        "request_too_large": "limit",
        "role_required": "permission",
        "route_unknown": "config",
        "run_cancelled": "cancelled",
        "run_changed": "store",
        "run_exists": "store",
        "run_interrupted": "cancelled",
        "run_not_resumable": "store",
        "run_step_unknown": "config",
        "run_timeout": "timeout",
        "run_unknown": "store",
        "run_waiting": "cancelled",
        "runs_exceeded": "limit",
        "schedule_invalid": "config",
        "schedule_unknown": "config",
        "scope_required": "permission",
        "server_busy": "limit",
        "server_exposed": "config",
        "session_busy": "limit",
        "session_mismatch": "config",
        "session_unknown": "config",
        "shell_failed": "tool",
        "signature_invalid": "auth",
        "skill_invalid": "config",
        "skill_unknown": "tool",
        "slack_refused": "auth",
        "slack_trouble": "network",
        "spending_limited": "limit",
        "store_corrupt": "store",
        "store_full": "store",
        "store_lease_lost": "store",
        "store_locked": "store",
        "store_newer": "store",
        "store_unavailable": "store",
        "template_unknown_placeholder": "config",
        "test_file_invalid": "config",
        "token_required": "auth",
        "tool_bad_arguments": "tool",
        "tool_failed": "tool",
        "tool_name_conflict": "config",
        "tool_outcome_unknown": "tool",
        "tool_schema_invalid": "config",
        "tool_schema_refused": "config",
        "tool_schema_simplified": "config",
        "tool_timeout": "timeout",
        "tool_too_many": "config",
        "tool_unknown": "tool",
        "turns_exceeded": "limit",
        "url_failed": "network",
        "url_refused": "permission",
        "url_timeout": "timeout",
        "url_too_large": "limit",
        "usage_invalid": "config",
        "watch_failed": "config",
      }
    `)
  })

  it(`the table of errors has these classes ${verifies('R5')}`, () => {
    expect(FAILURE_CLASSES).toEqual([
      'config',
      'auth',
      'timeout',
      'network',
      'model',
      'budget',
      'depth',
      'limit',
      'permission',
      'tool',
      'store',
      'cancelled',
      'internal',
    ])
  })

  it('each error code has a description and a remedy in full sentences', () => {
    for (const [code, entry] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/u)
      expect(FAILURE_CLASSES).toContain(entry.class)
      expect(entry.title).toMatch(/^[A-Z].*[^.]$/u)
      expect(entry.fix).toMatch(/^[A-Z].*\.$/u)
    }
  })
})

describe('a failure', () => {
  it(`a failure has a class, a code, a message and a remediation ${verifies('R5')}`, () => {
    expect(failure('model_auth', 'OPENAI_API_KEY was refused.')).toEqual({
      class: 'auth',
      code: 'model_auth',
      message: 'OPENAI_API_KEY was refused.',
      remediation: ERRORS.model_auth.fix,
    })
    expect(failure('internal', 'x', 'Do this.').remediation).toBe('Do this.')
  })

  it.each([
    ['approval_denied', 'denied'],
    ['permission_denied', 'denied'],
    ['child_timeout', 'timeout'],
    ['model_timeout', 'timeout'],
    ['budget_exceeded', 'budget'],
    ['run_cancelled', 'cancelled'],
    ['run_interrupted', 'cancelled'],
    ['tool_failed', 'failed'],
    ['turns_exceeded', 'failed'],
  ] as const)('the failure %s ends a run as %s', (code, outcome) => {
    expect(outcomeOf(failure(code, 'x'))).toBe(outcome)
  })
})

describe('TroupeError', () => {
  it('a TroupeError has its failure, its code and its cause', () => {
    const cause = new TypeError('inner')
    const error = troupeError('config_invalid', 'troupe.json is broken', { cause, fix: 'Mend it.' })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'TroupeError',
      code: 'config_invalid',
      message: 'troupe.json is broken',
      cause,
    })
    expect(error.failure.remediation).toBe('Mend it.')
    expect('cause' in troupeError('internal', 'x')).toBe(false)
  })

  it('a TroupeError is recognised across copies of the package, and other errors are not', () => {
    const other = Object.assign(new TypeError('x'), { [Symbol.for('troupe.error')]: true })
    expect(TroupeError.isInstance(troupeError('internal', 'x'))).toBe(true)
    expect(TroupeError.isInstance(other)).toBe(true)
    expect(
      [new TypeError('x'), null, 'troupe.error', undefined].map((value) => TroupeError.isInstance(value)),
    ).toEqual([false, false, false, false])
  })
})

describe('toFailure', () => {
  it('toFailure keeps a TroupeError and gives other errors the default code', () => {
    const own = troupeError('tool_failed', 'own')
    expect(toFailure(own, 'hook_failed')).toBe(own.failure)
    expect(toFailure(new TypeError('foreign'), 'hook_failed')).toMatchObject({
      code: 'hook_failed',
      message: 'foreign',
    })
    expect(toFailure('text')).toMatchObject({ code: 'internal', message: 'text' })
  })

  it('toFailure always sets a message', () => {
    const broken = {
      toString() {
        throw new TypeError('no')
      },
    }
    const thrown = [new TypeError(''), '', undefined, null, 0, broken, Object.create(null)]
    expect(thrown.map(errorMessage)).toEqual([
      'TypeError',
      'unknown error',
      'undefined',
      'null',
      '0',
      'unknown error',
      'unknown error',
    ])
  })
})
