/*
 * Functions that importers load whatever the capability flags say, and that this FMU does not have: model exchange, and
 * what modelDescription.xml declares as not supported. Each fails in every state and says why.
 */
#include "instance.h"

static fmi2Status refuse(fmi2Component component, const char *function, const char *why)
{
    scree_instance *instance = component;
    return instance ? scree_instance_log(instance, fmi2Error, "%s: %s", function, why) : fmi2Error;
}

#define NO_MODEL_EXCHANGE "this FMU is for co-simulation only"
#define NO_PENDING_STEP   "canRunAsynchronuously is false: there is no step to cancel"

/* PARAMETERS: in parentheses, the first one named c. */
#define ABSENT(function_, why_, PARAMETERS)                                                                            \
    fmi2Status function_ PARAMETERS                                                                                    \
    {                                                                                                                  \
        return refuse(c, #function_, why_);                                                                            \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter" /* they are given by the standard, and none is used here */

ABSENT(fmi2CancelStep, NO_PENDING_STEP, (fmi2Component c))

ABSENT(fmi2EnterEventMode, NO_MODEL_EXCHANGE, (fmi2Component c))
ABSENT(fmi2NewDiscreteStates, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2EventInfo *info))
ABSENT(fmi2EnterContinuousTimeMode, NO_MODEL_EXCHANGE, (fmi2Component c))
ABSENT(fmi2CompletedIntegratorStep, NO_MODEL_EXCHANGE,
       (fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate))
ABSENT(fmi2SetTime, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2Real time))
ABSENT(fmi2SetContinuousStates, NO_MODEL_EXCHANGE, (fmi2Component c, const fmi2Real x[], size_t nx))
ABSENT(fmi2GetDerivatives, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2Real derivatives[], size_t nx))
ABSENT(fmi2GetEventIndicators, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2Real indicators[], size_t ni))
ABSENT(fmi2GetContinuousStates, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2Real x[], size_t nx))
ABSENT(fmi2GetNominalsOfContinuousStates, NO_MODEL_EXCHANGE, (fmi2Component c, fmi2Real nominals[], size_t nx))
