-- The calls in the lake. DuckDB and Athena read the same files as `call_files`, with their folders as the columns `uid` and `day`.
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
