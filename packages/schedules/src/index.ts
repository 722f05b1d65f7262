export { dueTimes, MISSED_AFTER_MS, nextDueTime, type DueTimes } from './due-times.ts'
export {
  derivedRunId,
  findScheduleProblem,
  firingRunId,
  scheduleDefinition,
  toSchedule,
  type Schedule,
  type ScheduleProblem,
} from './schedule.ts'
export {
  CLAIM_MS,
  createScheduler,
  listSchedules,
  type FiringResult,
  type FiringRunState,
  type FiringStart,
  type ListedSchedule,
  type Scheduler,
  type SchedulerOptions,
} from './scheduler.ts'
