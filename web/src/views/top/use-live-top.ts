import type { TopKeysWithoutQueryVariables } from '../../../generated/operations.ts';
import type { AnswerState } from '../../api/use-answer.ts';
import { dataMark, liveQuestion } from '../../data/live-top.ts';
import type { TopAnswer } from '../../data/shown-toppers.ts';
import { type Live, useLive } from '../use-live.ts';
import type { ViewProps } from '../view-props.ts';

/** Keeps a top view's answer as new as the data, while its address says that it is live. */
export function useLiveTop(
  props: ViewProps,
  asked: AnswerState<TopAnswer, TopKeysWithoutQueryVariables>,
  variables: TopKeysWithoutQueryVariables,
): Live {
  const { fromDr } = props.address;
  return useLive<TopAnswer['context'], TopAnswer, TopKeysWithoutQueryVariables, Streamed>(props, {
    asked,
    ...liveQuestion(variables, asked.data),
    withContext: ({ viewer }, context) => ({ viewer, context }),
    askedOf: (streamed) => ({ ...streamed, fromDr }),
    markOf: dataMark,
  });
}

type Streamed = ReturnType<typeof liveQuestion>['variables'];
