/*
 * Bullet on the bed of `scree bench bed10k`: what one contact costs in one iteration of its solver.
 *
 *   scree-peer-bullet FILE
 *
 * Twice: as Bullet comes (normal and one friction direction), and with what Scree solves too: two friction directions
 * and rolling resistance. Spheres and planes, no sleeping, Bullet's own SIMD solver and its warm start.
 */
#include "grains.h"

#include <btBulletDynamicsCommon.h>

#include <vector>

static btDiscreteDynamicsWorld *world;

static int step(int iterations)
{
    world->getSolverInfo().m_numIterations = iterations;
    world->stepSimulation(btScalar(0.005), 0);
    int contacts = 0;
    btDispatcher *dispatcher = world->getDispatcher();
    for (int i = 0; i < dispatcher->getNumManifolds(); i++)
        contacts += dispatcher->getManifoldByIndexInternal(i)->getNumContacts();
    return contacts;
}

static void add_plane(const btVector3 &normal, double offset, double friction)
{
    btRigidBody *body = new btRigidBody(0, nullptr, new btStaticPlaneShape(normal, btScalar(offset)));
    body->setFriction(btScalar(friction));
    world->addRigidBody(body);
}

static void measure(const peer_bed &bed, const char *name, bool full)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld here(&dispatcher, &broadphase, &solver, &configuration);
    world = &here;
    here.setGravity(btVector3(0, 0, btScalar(-9.81 / bed.scale)));
    if (full)
        here.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    add_plane(btVector3(0, 0, 1), 0.0, 0.91);
    add_plane(btVector3(1, 0, 0), 0.0, 0.0);
    add_plane(btVector3(-1, 0, 0), -bed.size[0], 0.0);
    add_plane(btVector3(0, 1, 0), 0.0, 0.0);
    add_plane(btVector3(0, -1, 0), -bed.size[1], 0.0);
    for (int i = 0; i < bed.count; i++) {
        const peer_grain &g = bed.grains[i];
        btScalar r = btScalar(g.radius), mass = btScalar(8.0 * g.radius * g.radius * g.radius);
        btSphereShape *shape = new btSphereShape(r);
        btVector3 inertia;
        shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform.setOrigin(btVector3(btScalar(g.x[0]), btScalar(g.x[1]), btScalar(g.x[2])));
        info.m_friction = btScalar(0.95); /* Bullet multiplies the two bodies' */
        btRigidBody *body = new btRigidBody(info);
        if (full)
            body->setRollingFriction(btScalar(0.1));
        body->setActivationState(DISABLE_DEACTIVATION);
        here.addRigidBody(body);
    }
    peer_measure(name, step);
    for (int i = here.getNumCollisionObjects() - 1; i >= 0; i--) {
        btCollisionObject *body = here.getCollisionObjectArray()[i];
        here.removeCollisionObject(body);
        delete body->getCollisionShape();
        delete body;
    }
}

int main(int argc, char **argv)
{
    peer_bed bed;
    if (argc != 2 || !peer_read_bed(argv[1], &bed)) {
        fprintf(stderr, "usage: scree-peer-bullet FILE\n");
        return 2;
    }
    measure(bed, "bullet_plain", false);
    measure(bed, "bullet", true);
    free(bed.grains);
    return 0;
}
