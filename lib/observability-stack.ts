import { Aws, CfnCondition, Fn } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  type CfnAlarm,
  ComparisonOperator,
  CompositeAlarm,
  type Dashboard,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type AlarmProps, type CompositeAlarmProps, defineAlarms, defineCallStartAlarm } from './alarms.ts';
import { addDashboard } from './dashboard.ts';
import { queueDefaults } from './data-stack.ts';
import { collectMetrics, type ObservedParts } from './metrics.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { deploymentName, type Settings } from './settings.ts';

/** One topic, one dashboard, and alarms for problems that users notice. */
export class ObservabilityStack extends NamedNestedStack {
  readonly topic: Topic;
  readonly dashboard: Dashboard;

  /** The address of the page that says what to do, if the deployment serves it. */
  readonly #runbook: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    parts: ObservedParts & { runbook: string | undefined },
    settings: Settings,
  ) {
    super(scope, id);
    this.#runbook = parts.runbook;
    this.topic = this.#addTopic(settings);
    const metrics = collectMetrics(parts, settings);
    for (const alarm of defineAlarms(metrics)) this.#notify(this.#addAlarm(alarm));
    this.#notify(this.#addCompositeAlarm(defineCallStartAlarm(metrics)));
    if (settings.monthlyBudget) this.#addBudget(settings.monthlyBudget, settings);
    this.dashboard = addDashboard(this, metrics, parts, settings);
  }

  #addTopic(settings: Settings): Topic {
    const topic = new Topic(this, 'Alarms', {
      displayName: `Alarms of ${deploymentName(settings)}`,
      enforceSSL: true,
    });
    // Only principals that the policy names can publish to a topic that has its own policy.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (settings.alarmEmail) {
      const undelivered = new Queue(this, 'UndeliveredAlarms', queueDefaults);
      suppress(undelivered, 'deadLetters');
      topic.addSubscription(new EmailSubscription(settings.alarmEmail, { deadLetterQueue: undelivered }));
    }
    return topic;
  }

  /** Sends an email when the monthly costs reach 80% of a budget, and when they are forecast to exceed it. */
  #addBudget(dollars: number, settings: Settings) {
    const notify = (notificationType: string, threshold: number) => ({
      notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: settings.alarmEmail as string }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:deployment$${deploymentName(settings)}`] },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
  }

  /** Adds an alarm that is raised when the threshold is reached, or exceeded. Missing data raise no alarm. */
  #addAlarm({ id, metric, threshold, isAbove, periods = 1, onlyIn, description }: AlarmProps): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      comparisonOperator: isAbove
        ? ComparisonOperator.GREATER_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: this.#describe(id, description),
    });
    if (onlyIn) {
      const isThere = new CfnCondition(this, `${id}IsPossible`, { expression: Fn.conditionEquals(Aws.REGION, onlyIn) });
      (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = isThere;
    }
    return alarm;
  }

  #addCompositeAlarm({ id, description, anyOf }: CompositeAlarmProps): CompositeAlarm {
    const isRaised = (props: AlarmProps) => AlarmRule.fromAlarm(this.#addAlarm(props), AlarmState.ALARM);
    return new CompositeAlarm(this, id, {
      alarmRule: AlarmRule.anyOf(...anyOf.map((parts) => AlarmRule.allOf(...parts.map(isRaised)))),
      alarmDescription: this.#describe(id, description),
    });
  }

  /** Returns the description of an alarm, with the address of its row in the table of alarms. */
  #describe(id: string, description: string): string {
    return this.#runbook ? `${description} ${this.#runbook}#${id}` : description;
  }

  /** Publishes to the topic when an alarm is raised, and when it ends. */
  #notify(alarm: AlarmBase) {
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
