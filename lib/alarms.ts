import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Metrics } from './metrics.ts';

/** An alarm for a metric that reaches a threshold, or exceeds it (`isAbove`), in each of `periods` (default 1) periods of five minutes. */
export type AlarmProps = {
  id: string;
  metric: IMetric;
  threshold: number;
  isAbove?: true;
  periods?: number;
  /** The only region that has the metric. The alarm exists only in deployments there. */
  onlyIn?: string;
  /** Describes the problem and the remedy. */
  description: string;
};

/** Returns the alarms of a deployment, for problems that users notice. */
export const defineAlarms = ({
  api,
  chat,
  failedSignIns,
  edge,
  lateMessages,
  oldestFollowUp,
  deadLetters,
  recoveredShare,
  webhooks,
  table,
  account,
}: Metrics): AlarmProps[] => [
  {
    id: 'ApiErrors',
    metric: api.serverErrorShare,
    threshold: 0.05,
    periods: 2,
    description:
      'For ten minutes, at least 5 % of the API requests, and five in five minutes, have failed with 5xx. Filter the function logs by level "error"; if it began with a deployment, deploy the version before.',
  },
  {
    id: 'ApiLatency',
    metric: api.slowestLatency,
    threshold: 5000,
    periods: 3,
    description:
      'One in a hundred API requests takes longer than 5 seconds. Compare the functions on the dashboard, and look at the throttling of the table.',
  },
  ...(edge
    ? [
        {
          id: 'EdgeErrors',
          metric: edge.failedShare,
          threshold: 0.05,
          periods: 2,
          onlyIn: 'us-east-1',
          description:
            'For ten minutes, at least 5 % of CloudFront’s responses, and five in five minutes, have been 5xx. If the alarms of the API and the chat are silent, an origin does not respond at all: look at the health of API Gateway and Lambda in the region.',
        },
      ]
    : []),
  ...(chat ? defineChatAlarms(chat) : []),
  {
    id: 'SignInErrors',
    metric: failedSignIns,
    threshold: 5,
    description:
      'AI clients cannot sign in: five responses of the operations of OAuth in five minutes are 500. Read the logs of issue-token, authorize-client and show-authorization, level "error": the secret that seals tokens (webhookEncryption) and the table are the usual causes. Clients that are connected try again.',
  },
  {
    id: 'DeadLetters',
    metric: deadLetters,
    threshold: 1,
    description:
      'Work of a job failed five times, or its function died each time. Read the log of the job where "givenUp" is set. The job give-up has told the user of a failed crawl, document or import, and tries an erasure or a deletion again every ten minutes. Another message is a dead letter: when the cause is fixed, start a DLQ redrive in the SQS console. A message with a key that begins with "aws/lambda/" names a file of changes that could not be followed for twelve hours: fix the cause, run "voice-agents changes replay" with the key, and delete the message.',
  },
  {
    id: 'WebhookChanges',
    metric: webhooks.changeAge,
    threshold: 10 * 60 * 1000,
    description:
      'Changes of the table have waited for ten minutes to become webhook events and call figures. Read the log of read-changes, level "error". A line with "blocked" says that too many items began to fail at once: if it began with a deployment, deploy the version before.',
  },
  {
    id: 'ParkedChanges',
    metric: webhooks.parkedChanges,
    threshold: 1,
    description:
      'Changes of some items of the table fail by themselves, and wait with what follows from them: webhook events, entries of the log of changes, and call figures. "voice-agents changes parked list" shows them. They are tried again every five minutes and after each deployment: fix the cause, or drop them.',
  },
  {
    id: 'WebhookDeliveries',
    metric: webhooks.failedAttempts,
    threshold: 100,
    periods: 3,
    description:
      'For fifteen minutes, at least twenty attempts a minute to deliver webhooks have failed. Look at the failed attempts by endpoint on the dashboard: if all are of one endpoint, its user has to repair or disable it; if of many, read the log of deliver-webhook, "reason".',
  },
  {
    id: 'RecoveredCalls',
    metric: recoveredShare,
    threshold: 0.01,
    isAbove: true,
    description:
      'More than 1 % of a day’s calls were recorded only because a reconciliation found them in the list of their voice platform. Find the agents in the log of reconcile-calls, "recovered", and look at the log of receive-hook and at the webhooks of their platform: the ends of calls do not arrive.',
  },
  {
    id: 'LateMessages',
    metric: lateMessages,
    threshold: 1,
    description:
      'A job received a message that had waited for an hour. Read the logs of the jobs where "waitedSeconds" is set, look at the errors of that job, and at the concurrency of the account.',
  },
  {
    id: 'UnreadQueues',
    metric: oldestFollowUp,
    // After the alarm LateMessages, which is raised while a queue is read.
    threshold: 2 * 60 * 60,
    description:
      'The oldest message about webhook events, call figures or budgets has waited for two hours. If LateMessages is silent, no function reads the queue: find it on the dashboard, and see whether the event source mapping of its job is enabled and whether its function may run.',
  },
  ...table.throttles.map((metric) => ({
    id: `Table${metric.metricName}`,
    metric,
    threshold: 10,
    description:
      'DynamoDB rejects requests. If the load is real, wait: a table on demand doubles its capacity within half an hour; a single hot item is a caller to slow down.',
  })),
  {
    id: 'Concurrency',
    metric: account.throttles,
    threshold: 10,
    description:
      'Lambda rejects invocations in this account and region: the concurrency is used up. Ask AWS for more, or lower requestsPerSecond and callTimeRequestsPerSecond.',
  },
];

const defineChatAlarms = ({
  serverErrors,
  failedTurns,
  exhaustedBudget,
}: NonNullable<Metrics['chat']>): AlarmProps[] => [
  {
    id: 'ChatErrors',
    metric: serverErrors,
    threshold: 5,
    description:
      'The chat answers 5xx. Read its log, level "error": access to the model, the signing secret and the table are the usual causes.',
  },
  {
    id: 'ChatFailedTurns',
    metric: failedTurns,
    threshold: 5,
    description:
      'Chat answers break off. Read "cause" in the chat’s log where "state" is "failed"; look at the model’s quotas in the Bedrock console.',
  },
  {
    id: 'ChatBudget',
    metric: exhaustedBudget,
    threshold: 1,
    description:
      'The chat’s tokens of the day are used up, for all callers or for those without a key. Look for one address with many turns; if the use is real, deploy with a higher chatDailyTokens.',
  },
];

/** An alarm that is raised while all alarms of a group are raised. Only it notifies. */
export type CompositeAlarmProps = { id: string; description: string; anyOf: AlarmProps[][] };

/** Returns the alarm for call starts: a bad start is a call that rings in vain. */
export const defineCallStartAlarm = ({ callStarts: { fastBurn, slowBurn } }: Metrics): CompositeAlarmProps => {
  const part = (id: string, metric: IMetric, threshold: number): AlarmProps => ({
    id: `CallStarts${id}`,
    metric,
    threshold,
    description: 'A part of the alarm CallStarts. It notifies nobody.',
  });
  return {
    id: 'CallStarts',
    description:
      'Fewer than 99.9 % of the call starts are good (no fault, at most one second): bad ones are at least 1.44 % of an hour and of its last five minutes, or 0.6 % of six hours and of their last thirty minutes. Look at the first row of the dashboard, filter the logs of decide-call-start and receive-hook by BadStarts = 1, and if it began with a deployment, deploy the version before.',
    anyOf: [
      [part('Hour', fastBurn.long, fastBurn.threshold), part('FiveMinutes', fastBurn.short, fastBurn.threshold)],
      [part('SixHours', slowBurn.long, slowBurn.threshold), part('HalfHour', slowBurn.short, slowBurn.threshold)],
    ],
  };
};
