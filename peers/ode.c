/*
 * ODE on the bed of `scree bench bed10k`: what one contact costs in one iteration of its QuickStep.
 *
 *   scree-peer-ode FILE
 *
 * Twice: with normal and friction (a pyramid of two directions), and with rolling resistance too. Spheres and planes,
 * no disabling.
 */
#include "grains.h"

#include <math.h>
#include <ode/ode.h>

static dWorldID world;
static dSpaceID space;
static dJointGroupID joints;
static int contacts, with_rolling;

static void meet(void *context, dGeomID a, dGeomID b)
{
    (void)context;
    dContact contact = {0};
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if ((!body_a && !body_b) || dCollide(a, b, 1, &contact.geom, sizeof contact) == 0)
        return;
    int wall = !body_a || !body_b;
    int smooth = wall && fabs(contact.geom.normal[2]) < 0.5;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = smooth ? 0.0 : 0.91;
    if (with_rolling) {
        contact.surface.mode |= dContactRolling;
        contact.surface.rho = contact.surface.rho2 = smooth ? 0.0 : 0.08;
    }
    dJointAttach(dJointCreateContact(world, joints, &contact), body_a, body_b);
    contacts++;
}

static int step(int iterations)
{
    contacts = 0;
    dWorldSetQuickStepNumIterations(world, iterations);
    dSpaceCollide(space, NULL, meet);
    dWorldQuickStep(world, 0.005);
    dJointGroupEmpty(joints);
    return contacts;
}

static void measure(const peer_bed *bed, const char *name, int rolling)
{
    with_rolling = rolling;
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    joints = dJointGroupCreate(0);
    dWorldSetGravity(world, 0.0, 0.0, -9.81 / bed->scale);
    dWorldSetERP(world, 0.2);
    dWorldSetCFM(world, 1e-5);
    dWorldSetAutoDisableFlag(world, 0);
    dCreatePlane(space, 0.0, 0.0, 1.0, 0.0);
    dCreatePlane(space, 1.0, 0.0, 0.0, 0.0);
    dCreatePlane(space, -1.0, 0.0, 0.0, -bed->size[0]);
    dCreatePlane(space, 0.0, 1.0, 0.0, 0.0);
    dCreatePlane(space, 0.0, -1.0, 0.0, -bed->size[1]);
    for (int i = 0; i < bed->count; i++) {
        const peer_grain *g = &bed->grains[i];
        dMass mass;
        dBodyID body = dBodyCreate(world);
        dGeomID sphere = dCreateSphere(space, g->radius);
        dMassSetSphere(&mass, 1.0, g->radius);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, g->x[0], g->x[1], g->x[2]);
        dGeomSetBody(sphere, body);
    }
    peer_measure(name, step);
    dJointGroupDestroy(joints);
    dSpaceDestroy(space);
    dWorldDestroy(world);
}

int main(int argc, char **argv)
{
    peer_bed bed;
    if (argc != 2 || !peer_read_bed(argv[1], &bed)) {
        fprintf(stderr, "usage: scree-peer-ode FILE\n");
        return 2;
    }
    dInitODE2(0);
    measure(&bed, "ode_plain", 0);
    measure(&bed, "ode", 1);
    dCloseODE();
    free(bed.grains);
    return 0;
}
