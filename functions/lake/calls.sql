-- The calls in the lake. DuckDB and Athena read the same files: `call_files` has the files of days, with their folders as the
-- columns `uid` and `day`, and `month_files` those of compacted months. A month's file takes the place of the files of its days.
-- Athena needs a constant `uid` for both tables: of a left join, its planner applies that of a query to both sides.
create or replace view calls as
select
  call_files.uid,
  cast(call_files.day as date) as day,
  call_files.call_id,
  call_files.agent_id,
  call_files.agent_version,
  call_files.phone,
  call_files.agent_phone,
  call_files.direction,
  call_files.status,
  call_files.started_at,
  call_files.ended_at,
  call_files.duration_seconds,
  call_files.outcome,
  call_files.outcome_value,
  call_files.metadata,
  call_files.cost,
  call_files.cost_currency,
  call_files.end_reason,
  call_files.summary,
  call_files.source,
  call_files.attestation,
  call_files.disclosed,
  call_files.recorded_at
from call_files
left join (select distinct uid, agent_id, month from month_files) as compacted
  on compacted.uid = call_files.uid
  and compacted.agent_id = call_files.agent_id
  and compacted.month = substr(cast(call_files.day as varchar), 1, 7)
where compacted.uid is null
union all
select
  uid,
  cast(started_at as date) as day,
  call_id,
  agent_id,
  agent_version,
  phone,
  agent_phone,
  direction,
  status,
  started_at,
  ended_at,
  duration_seconds,
  outcome,
  outcome_value,
  metadata,
  cost,
  cost_currency,
  end_reason,
  summary,
  source,
  attestation,
  disclosed,
  recorded_at
from month_files
