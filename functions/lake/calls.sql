-- The calls in the lake. DuckDB and Athena read the same files: `call_files` has the files of days, with their folders as the
-- columns `uid` and `day`, and `month_files` those of compacted months. A month's file takes the place of the files of its days.
create or replace view calls as
select
  uid,
  cast(day as date) as day,
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
from call_files
where not exists (
  select 1 from month_files
  where month_files.uid = call_files.uid
    and month_files.agent_id = call_files.agent_id
    and month_files.month = substr(cast(call_files.day as varchar), 1, 7)
)
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
